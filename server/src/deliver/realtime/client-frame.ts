/** Reads what a client sends. Anything that is not exactly one of the contract's frames is a protocol error: null. */
import { ClientFrame } from '@carillon/contract/stream.ts';
import { Compile } from 'typebox/compile';
import { lazy } from '../../base/lazy.ts';

/** Every open stream answers pings for as long as it lives: read by a compiled schema that is a fifteenth of the work. */
const clientFrame = lazy(() => Compile(ClientFrame));

export function parseClientFrame(bytes: Buffer): ClientFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  return clientFrame().Check(value) ? value : null;
}
