/**
 * Looks at everything once more before something leaves (D11): rows, marks, what the person wants, where they can be
 * reached. Loads the facts of many jobs at once; what they mean is `decide/last-check.ts`.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import { companionIn } from '../decide/companion-in.ts';
import type { ChannelPlan } from '../decide/decide-channels.ts';
import { type ItemFacts, lastCheck } from '../decide/last-check.ts';
import { RecipientPolicy } from '../decide/recipient-policy.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { Item, Marks } from '../inbox/item.ts';
import { isAccessLost, isArchived, isRead, isSeen, isSnoozed } from '../inbox/item-state.ts';
import type { Profile } from '../profile/profile.ts';
import { ProfileCache } from '../profile/profile-cache.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { Job } from './delivery.ts';
import type { Outlet, Reached } from './outlet.ts';
import type { LookingPeople } from './realtime/looking-people.ts';

export interface LastLookParts {
  readonly outlet: Pick<Outlet, 'channel' | 'reach'>;
  readonly profiles: ProfileStore;
  readonly inbox: Pick<InboxStore, 'item' | 'marks'>;
  readonly catalogue: TypeCatalogue;
  /** Absent: nobody is known to look at the app. */
  readonly looking?: LookingPeople;
  readonly clock: Clock;
}

export type Looked =
  /** `items`: what of it is still to be told. */
  | { readonly kind: 'send'; readonly profile: Profile | null; readonly items: readonly Item[] }
  | { readonly kind: 'hold'; readonly untilMs: number; readonly reason: string }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'expire' };

export interface Look {
  readonly looked: Looked;
  readonly reached: Reached;
}

export class LastLook {
  readonly #parts: LastLookParts;
  readonly #profiles: ProfileCache;

  constructor(parts: LastLookParts) {
    this.#parts = parts;
    this.#profiles = new ProfileCache(parts.profiles);
  }

  /** Calls must not overlap. Rejects when facts cannot be had just now. */
  async at(jobs: readonly Job[]): Promise<readonly Look[]> {
    const people = jobs.map(({ person }) => person);
    const [looking] = await Promise.all([this.#parts.looking?.among(people), this.#profiles.load(people)]);
    const lookers = looking ?? nobody;
    return Promise.all(jobs.map((job) => this.#look(job, this.#profiles.get(job.person), lookers.has(job.person))));
  }

  close(): void {
    this.#profiles.close();
  }

  async #look(job: Job, profile: Profile | null, isPresent: boolean): Promise<Look> {
    const { inbox, outlet, clock } = this.#parts;
    const [reached, marks, ...items] = await Promise.all([
      outlet.reach(job.person, profile),
      inbox.marks(job.person),
      ...job.tells.map(({ notification }) => inbox.item(job.person, notification)),
    ]);
    const nowMs = clock.now();
    if (nowMs >= job.expiresAtMs) return { looked: { kind: 'expire' }, reached };
    const policy = new RecipientPolicy(profile);
    const plans = items.map((item) => this.#plan(job, item, { policy, marks, reached, isPresent, nowMs }));
    return { looked: joined(plans, items, profile), reached };
  }

  #plan(job: Job, item: Item | null, facts: Facts): ChannelPlan {
    const { channel, moment } = job;
    const { policy, marks, reached, isPresent, nowMs } = facts;
    const type = item === null ? undefined : this.#parts.catalogue.find(item.type);
    if (item === null || type === undefined) return { channel, kind: 'skip', reason: 'undone', untilMs: null };
    const state = { endpoint: reached.state, windowEndsAtMs: null, cappedUntilMs: null };
    return lastCheck(channel, itemFacts(item, marks, { policy, nowMs }), {
      type,
      also: companionIn(item, type),
      choices: policy.choices,
      askedForPush: item.askedForPush,
      verdict: policy.judgeRow(type, item, nowMs),
      push: state,
      email: state,
      isPresent,
      quietUntilMs: policy.quietUntilMs(nowMs),
      digestAtMs: policy.digestAtMs(nowMs),
      // Until when it is worth sending was decided for the whole of it.
      eventTimeMs: nowMs,
      nowMs,
      moment,
    });
  }
}

interface Facts {
  readonly policy: RecipientPolicy;
  readonly marks: Marks;
  readonly reached: Reached;
  readonly isPresent: boolean;
  readonly nowMs: number;
}

const nobody: ReadonlySet<PersonKey> = new Set();

function itemFacts(item: Item, marks: Marks, { policy, nowMs }: Pick<Facts, 'policy' | 'nowMs'>): ItemFacts {
  const mark = marks.items.get(item.id);
  return {
    // An erased person has no rows.
    isErased: false,
    isSuspended: policy.profile?.facts?.suspended ?? false,
    isGone: item.state !== 'live' && !isAccessLost(item),
    isAccessLost: isAccessLost(item),
    isRead: isRead(item, mark, marks) || isArchived(mark) || isSnoozed(mark, nowMs),
    isSeen: isSeen(item, mark, marks),
  };
}

/** What still goes, goes; where nothing does, the first that waits says until when, and else the first says why not. */
function joined(plans: readonly ChannelPlan[], items: readonly (Item | null)[], profile: Profile | null): Looked {
  const going = items.filter((item, at): item is Item => item !== null && plans[at]?.kind === 'send');
  if (going.length > 0) return { kind: 'send', profile, items: going };
  const held = plans.find(({ kind }) => kind === 'hold');
  if (held !== undefined) return { kind: 'hold', untilMs: held.untilMs as number, reason: held.reason };
  const reason = plans[0]?.reason ?? 'undone';
  return reason === 'expired' ? { kind: 'expire' } : { kind: 'skip', reason };
}
