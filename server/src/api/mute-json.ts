/** A mute as the wire has it, and the thing that a request names. */
import type { Mute as MuteJson, MuteKind } from '@carillon/contract/mutes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { isoTime } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import { mutedWord } from '../decide/muted-words.ts';
import type { Mute } from '../profile/profile.ts';

export function muteJson({ kind, id, sinceMs, untilMs }: Mute): MuteJson {
  return { kind, id, since: isoTime(sinceMs), until: untilMs === null ? null : isoTime(untilMs) };
}

/** Throws CARILLON_MUTE_INVALID for a word that cannot be compared. */
export function mutedThing({ kind, id }: { kind: MuteKind; id: string }): Pick<Mute, 'kind' | 'id'> {
  if (kind !== 'word') return { kind, id };
  const word = mutedWord(id);
  if (word === null) throw muteInvalid('params/id', 'Has nothing to compare with.');
  if (word.text.length > limits.muteWordCharsMax)
    throw muteInvalid('params/id', `Has more than ${limits.muteWordCharsMax} characters.`);
  return { kind, id: word.text };
}

export function muteInvalid(path: string, detail: string): CarillonError {
  return new CarillonError('CARILLON_MUTE_INVALID', 'This cannot be muted like that.', { fields: [{ path, detail }] });
}
