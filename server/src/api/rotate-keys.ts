/**
 * `POST /v1/admin/keys/rotate`: encrypts anew what is not by the first key of `encryption.keys`, in the whole installation
 * (S4). It may be cut off and asked for again at any time: what is done already is passed over. It tells how far it is,
 * line by line, and ends without its last line where it failed.
 */
import { Readable } from 'node:stream';
import { RotationLine } from '@carillon/contract/rotation-line.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Rotation } from '../profile/resealing.ts';
import { defineOperation, type Operation } from './operation.ts';

const lines = 'application/x-ndjson';

export function rotateKeys(rotation: Rotation): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/keys/rotate',
    summary: 'Encrypt everything stored with the present key, so that former ones are no longer needed',
    caller: 'operator',
    answers: { 200: RotationLine },
    answerType: lines,
    errors: [],
    async handle({ principal, onGone }) {
      if (principal.role !== 'admin')
        throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'Only an admin may rotate keys.');
      let isGone = false;
      onGone(() => {
        isGone = true;
      });
      const told = progress(rotation, () => isGone);
      return { status: 200, headers: { 'content-type': lines }, body: Readable.from(told, { objectMode: false }) };
    },
  });
}

async function* progress(rotation: Rotation, isGone: () => boolean): AsyncIterable<string> {
  let changed = 0;
  for (let after: string | null = null; ; ) {
    const step = await rotation.step(after);
    if (isGone()) return;
    changed += step.changed;
    after = step.next;
    if (after === null) break;
    if (step.changed > 0) yield line({ changed });
  }
  yield line({ changed, done: true, former: [...(await rotation.finish())] });
}

function line(told: RotationLine): string {
  return `${JSON.stringify(told)}\n`;
}
