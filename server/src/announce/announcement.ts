/**
 * An announcement: what the API calls an operator's broadcast (A4), and what may become of it. Pure.
 *
 *   draft ─approve─▶ approved ─start─▶ scheduled ─begin─▶ running ─finish─▶ finished
 *                                        │  └─start─▶ scheduled   ▲ │  ▲
 *                                        └─miss─▶ stale ─confirm──┘ └──┴─pause, resume─ paused
 *
 * `cancel` ends it from everywhere but its ends. `begin`, `miss` and `finish` are done by the clock; all others by people.
 * What has been done already may be asked for again: the second of two clicks has no effect (BC-62).
 */
import type { BroadcastAction, BroadcastStatus } from '@carillon/contract/broadcast-states.ts';
import type { BroadcastDraft } from '@carillon/contract/broadcasts.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { TenantId } from '../base/ids.ts';

export type AnnouncementId = string;

export type AnnouncementStep = BroadcastAction | 'begin' | 'miss' | 'finish';

export interface Announcement extends BroadcastDraft {
  /** Sorts by creation. */
  readonly id: AnnouncementId;
  readonly tenant: TenantId;
  /** Rises with each change. */
  readonly version: number;
  readonly status: BroadcastStatus;
  /** When it is to begin; null until somebody says. */
  readonly startAtMs: number | null;
  /** The time of its event. */
  readonly startedAtMs: number | null;
  /** Its event is in the log: from then on it is a fan-out like any other. */
  readonly isSent: boolean;
  /** People it was written to, once it is finished. */
  readonly recipients: number;
  /** Who did what to it, and when, oldest first: it is never cut. */
  readonly history: readonly {
    readonly action: AnnouncementStep | 'create';
    readonly atMs: number;
    readonly by: string;
  }[];
}

export interface StepFacts {
  readonly nowMs: number;
  readonly by: string;
  /** For `start`: when. */
  readonly startAtMs?: number;
  /** For `finish`: how many people it was written to. */
  readonly recipients?: number;
  /** Whoever wrote it may approve it. */
  readonly selfApproval?: boolean;
}

interface Move {
  readonly from: readonly BroadcastStatus[];
  readonly to: BroadcastStatus;
  /** Where it has happened already. */
  readonly done: readonly BroadcastStatus[];
}

const moves: Readonly<Record<AnnouncementStep, Move>> = {
  approve: { from: ['draft'], to: 'approved', done: ['approved'] },
  start: { from: ['approved', 'scheduled'], to: 'scheduled', done: ['running', 'finished'] },
  begin: { from: ['scheduled'], to: 'running', done: ['running'] },
  miss: { from: ['scheduled'], to: 'stale', done: ['stale'] },
  confirm: { from: ['stale'], to: 'running', done: ['running', 'finished'] },
  pause: { from: ['running'], to: 'paused', done: ['paused'] },
  resume: { from: ['paused'], to: 'running', done: ['running', 'finished'] },
  finish: { from: ['running'], to: 'finished', done: ['finished'] },
  cancel: {
    from: ['draft', 'approved', 'scheduled', 'stale', 'running', 'paused'],
    to: 'cancelled',
    done: ['cancelled'],
  },
};

/** Afterwards; the same one where it has been done already. Throws where it cannot be. */
export function stepped(before: Announcement, action: AnnouncementStep, facts: StepFacts): Announcement {
  const { from, to, done } = moves[action];
  const { status } = before;
  if (done.includes(status)) return before;
  if (!from.includes(status)) {
    throw new CarillonError('CARILLON_BROADCAST_STATE', `It is ${status}: there is nothing to ${action}.`);
  }
  const { nowMs, by, startAtMs = before.startAtMs, recipients = before.recipients } = facts;
  if (action === 'approve' && facts.selfApproval !== true && before.history.some((each) => isAuthor(each, by))) {
    throw new CarillonError('CARILLON_BROADCAST_OWN', 'Another operator must approve it.');
  }
  const begins = to === 'running' && before.startedAtMs === null;
  return {
    ...before,
    version: before.version + 1,
    status: to,
    startAtMs,
    startedAtMs: begins ? nowMs : before.startedAtMs,
    recipients,
    history: [...before.history, { action, atMs: nowMs, by }],
  };
}

function isAuthor({ action, by }: Announcement['history'][number], who: string): boolean {
  return action === 'create' && by === who;
}
