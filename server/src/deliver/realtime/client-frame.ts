/** Reads what a client sends. Anything that is not exactly one of the contract's frames is a protocol error: null. */
import { ClientFrame } from '@carillon/contract/stream.ts';
import { Value } from 'typebox/value';

export function parseClientFrame(bytes: Buffer): ClientFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  return Value.Check(ClientFrame, value) ? value : null;
}
