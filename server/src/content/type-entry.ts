/**
 * What a type of event is and does, complete and resolved: what the code reads for every event (C1). One object per type,
 * all of one shape, made by `resolve-types.ts` and never changed afterwards. How a type is written is in
 * `type-declaration.ts`.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { Channel } from '@carillon/contract/reasons.ts';

/**
 * What an event of the type does to an inbox (decide/rules/): `notify` tells of something, `undo` takes back what other
 * types told, `gone` removes everything about a thing, `edit` follows changed words and a changed list of mentions,
 * `revoke` removes everything about a thing for a person who may no longer see it, and `grant` lets them see it again.
 */
export const typeRules = ['notify', 'undo', 'gone', 'edit', 'revoke', 'grant'] as const;
export type TypeRule = (typeof typeRules)[number];

/** What makes events share a row (D5): the object, its parent, the type alone, or nothing beyond the event's own thing. */
export const groupings = ['object', 'parent', 'kind', 'alone'] as const;
export type Grouping = (typeof groupings)[number];

/**
 * When push and email are told (D6): each event; the first at once and one summary at the window's end; or one at the
 * window's end.
 */
export const notifyTimings = ['immediate', 'leading', 'trailing'] as const;
export type NotifyTiming = (typeof notifyTimings)[number];

/** `row`: a newer push about the same row takes the place of the older. `none`: each stands by itself. */
export const collapses = ['row', 'none'] as const;
export type Collapse = (typeof collapses)[number];

/** What a push may show on a lock screen: everything, who it is from, or only that there is something (C5). */
export const privacyLevels = ['full', 'sender', 'hidden'] as const;
export type PrivacyLevel = (typeof privacyLevels)[number];

/** How email is used where it is on: at once, if unseen after `emailAfterMs`, in digests only, or not at all (D10). */
export const emailModes = ['immediate', 'fallback', 'digest', 'off'] as const;
export type EmailMode = (typeof emailModes)[number];

/** A button of a notification. `url` may name parts of the event in braces: `/requests/{actorId}/accept`. */
export interface TypeAction {
  readonly id: string;
  readonly url: string;
}

export interface TypeEntry {
  readonly name: string;
  /** What types have in common for a person's choices: `reactions`. */
  readonly category: string;
  readonly lane: Lane;
  readonly rule: TypeRule;
  readonly grouping: Grouping;
  /** Types of one family that stand alone share a row where actor and thing are the same (BC-04). Else the type's name. */
  readonly family: string;
  /** For `undo`: the types whose effect it takes back. */
  readonly undoes: readonly string[];
  /** The entries of `undoes`. */
  readonly undone: readonly TypeEntry[];
  /** Tells the reader of being mentioned: a part of a row that is undone by its own order. */
  readonly isMention: boolean;
  /** For things that mention people, and edits of them: the type that tells of the mention. */
  readonly mention: TypeEntry | null;
  /** For a mention: the types whose `mention` it is, and in whose rows it may stand. */
  readonly mentionedIn: readonly TypeEntry[];
  /** Types that may tell of one thing in one row with this one: a mention for a comment or reply, and the other way round. */
  readonly companions: readonly TypeEntry[];
  /** The app itself speaks: no actor is needed, and none is told apart from the recipient. */
  readonly fromApp: boolean;
  /** Ignores preferences, never suppression (D2). */
  readonly critical: boolean;
  /** Where a person is told who has chosen nothing (D2). All false for types that tell nobody. */
  readonly channels: Readonly<Record<Channel, boolean>>;
  readonly notify: NotifyTiming;
  readonly windowMs: number;
  /** How long after the event a push or email is still worth sending; then it expires. */
  readonly ttlMs: number;
  readonly collapse: Collapse;
  readonly privacy: PrivacyLevel;
  /** Push also to who is looking at the app (D10). */
  readonly pushAlways: boolean;
  readonly emailMode: EmailMode;
  /** For `fallback`: how long it may stay unseen. */
  readonly emailAfterMs: number;
  readonly actions: readonly TypeAction[];
}
