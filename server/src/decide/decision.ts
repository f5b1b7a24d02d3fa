/** What an event does to one person's inbox, and why (D1). */
import type { Reason } from '@carillon/contract/reasons.ts';
import type { TypeEntry } from '../content/type-entry.ts';
import type { Item, Member } from '../inbox/item.ts';

export type Change =
  /** A new row. `hidden`: only remembered, for an undo or deletion that comes before what it takes back. */
  | {
      readonly kind: 'open';
      readonly type: TypeEntry;
      readonly groupKey: string;
      readonly members: readonly Member[];
      readonly hidden: boolean;
    }
  /**
   * Members of a row are new, back, or gone, and the row follows. `news`: it counts as activity, so the row moves up
   * when it has grown noticeably. `becomes`: the row now tells of another type.
   */
  | {
      readonly kind: 'members';
      readonly item: Item;
      readonly members: readonly Member[];
      readonly news: boolean;
      readonly becomes: TypeEntry | null;
    }
  /** The whole row is withdrawn, whoever is in it. */
  | { readonly kind: 'withdraw'; readonly item: Item }
  /** The words of the thing that the row is about have changed. */
  | { readonly kind: 'reword'; readonly item: Item };

/** A row tells of two types now: whoever wants one of them on a channel is told there once (BC-04). */
export interface Merged {
  /** As the row is now. */
  readonly type: TypeEntry;
  readonly also: TypeEntry;
  /** The row that told of the first. */
  readonly told: Item;
}

export interface Decision {
  readonly changes: readonly Change[];
  /** The row of the last change was told as another type before, and tells nothing anew. */
  readonly merged?: Merged | null;
  /** The person is told something new: what push and mail may act on. */
  readonly tells: boolean;
  /** Why in-app shows it (`default`), or why the event told nothing. */
  readonly reason: Reason;
}

/** No effect at all. */
export const nothing = (reason: Reason): Decision => ({ changes: [], tells: false, reason });
