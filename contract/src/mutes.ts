/** What a person does not want to hear of (D3): `/v1/mutes`. */
import { type Static, Type } from 'typebox';
import { Id } from './event.ts';
import { Time } from './notification.ts';

const closed = { additionalProperties: false } as const;

export const muteKinds = ['actor', 'object', 'word'] as const;
export type MuteKind = (typeof muteKinds)[number];

const Until = Type.Union([Time, Type.Null()]);

/** `id`: of the actor or the object as events name it, or the word. */
export const MuteParams = Type.Object({ kind: Type.Enum([...muteKinds]), id: Id });

/** `until`: null or absent is for good. */
export const MuteRequest = Type.Object({ until: Type.Optional(Until) }, closed);

export const Mute = Type.Object({
  kind: Type.Enum([...muteKinds]),
  /** Words are answered as they are compared: lower case, spaces joined. */
  id: Type.String(),
  since: Time,
  until: Until,
});

/** In the order they were made. */
export const Mutes = Type.Object({ items: Type.Array(Mute) });

export type Mute = Static<typeof Mute>;
