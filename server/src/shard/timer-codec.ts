/** A stored timer: a format number and lines of text. Its id and due time are in its key. */
import type { PersonKey } from '../base/ids.ts';
import { line, splitLines } from '../inbox/line-text.ts';
import type { Timer, TimerKey, TimerKind } from './timer-store.ts';

const format = '1';

export function encodeTimer({ revision, kind, person, data }: Timer): string {
  return `${format}${line(revision.toString(36))}${line(kind)}${line(person)}${line(data)}`;
}

export function decodeTimer({ id, dueMs }: Pick<TimerKey, 'id' | 'dueMs'>, text: string): Timer {
  const [stored, revision = '', kind = '', person = '', data = ''] = splitLines(text);
  if (stored !== format) throw new Error(`a timer is stored in format ${stored}, this release reads ${format}`);
  return {
    id,
    dueMs,
    revision: Number.parseInt(revision, 36),
    kind: kind as TimerKind,
    person: person as PersonKey,
    data,
  };
}
