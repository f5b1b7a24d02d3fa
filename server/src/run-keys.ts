/** `carillon keys rotate`: has a running service encrypt everything with its present key (S4). */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { RotationLine } from '@carillon/contract/rotation-line.ts';
import { connect } from './running-service.ts';

/** Lines to print. `onProgress` is told how many values were encrypted anew. Throws an error whose message is for the reader. */
export async function runKeysRotate(
  { url, token }: { url: string; token: string | undefined },
  onProgress: (changed: number) => void,
): Promise<readonly string[]> {
  const service = await connect(url, token);
  const answer = await service.open('POST', '/v1/admin/keys/rotate');
  for await (const text of createInterface(Readable.fromWeb(answer.body as WebStream))) {
    const line = JSON.parse(text) as RotationLine;
    if ('done' in line) return described(line);
    onProgress(line.changed);
  }
  throw new Error('The rotation was cut off. Run it again: what is done is passed over.');
}

function described({ changed, former }: { changed: number; former: readonly string[] }): string[] {
  const gone = former.length === 0 ? 'No former key was in use.' : `No longer needed: ${former.join(', ')}.`;
  return [`${changed} values encrypted anew.`, gone];
}
