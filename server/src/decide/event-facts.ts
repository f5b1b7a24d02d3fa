/** What the rules are told of an event: plain values, read once from its record. */
import type { TypeEntry } from '../content/type-entry.ts';
import type { ItemActor, ItemObject } from '../inbox/item.ts';

export interface EventFacts {
  readonly type: TypeEntry;
  readonly source: string;
  readonly id: string;
  readonly timeMs: number;
  /** The source's own order for one actor and object; null where it has none. */
  readonly seq: number | null;
  readonly acceptedAtMs: number;
  /** The recipients asked to be pushed for what their audience hears (F3). */
  readonly askedForPush: boolean;
  /** It reaches the recipients as they open their inbox: in-app, and nowhere else (F3). */
  readonly isMerged: boolean;
  /** Id of the actor; empty where the app itself speaks. */
  readonly actorId: string;
  /** What the event is about, `comment:c1`; empty where it is about nothing. */
  readonly thing: string;
  /** What that belongs to, `post:p1`; empty where to nothing. */
  readonly parent: string;
  /** The row that the event goes to by its own type (`keys.ts`). */
  readonly groupKey: string;
  /** What in that row is the same as an earlier event. */
  readonly memberKey: string;
  /** Everyone mentioned after an edit; null where the event does not say. */
  readonly mentions: readonly string[] | null;
  /** Details for showing, read from the record only when a row needs them. */
  actor(): ItemActor;
  object(): ItemObject;
  /** Everything that people wrote in it: names, titles, the texts of its data. */
  texts(): readonly string[];
}
