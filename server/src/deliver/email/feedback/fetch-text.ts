/** A small text at an address that has been checked before (`isOfSns`): bounded in time and bytes, without redirects (S5). */
import { limits } from '../../../base/limits.ts';

/** Rejects for anything but status 200. */
export async function fetchText(url: string): Promise<string> {
  const signal = AbortSignal.timeout(limits.webhookFetchMs);
  const answer = await fetch(url, { redirect: 'error', signal });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.webhookFetchBytesMax) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
