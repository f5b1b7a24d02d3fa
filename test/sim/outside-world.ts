/**
 * What lies around the small world: people who change what they want in the middle of everything, timers that outlive
 * the process, and a channel that takes each telling once and says what it should not have been handed (D3, D6, D7).
 */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { weekdays } from '@carillon/contract/weekdays.ts';
import type { PersonKey } from '../../server/src/base/ids.ts';
import type { Random } from '../../server/src/base/random.ts';
import type { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { type CapRules, usualCaps } from '../../server/src/decide/caps.ts';
import { quietAt, quietSpans } from '../../server/src/decide/quiet-hours.ts';
import type { Dispatch, OutwardChannel } from '../../server/src/deliver/outward-channel.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import type { Item } from '../../server/src/inbox/item.ts';
import type { ProfileStore } from '../../server/src/profile/profile-store.ts';
import { ProfileStoreMemory } from '../../server/src/profile/profile-store-memory.ts';
import type { TimerStore } from '../../server/src/shard/timer-store.ts';
import { TimerStoreMemory } from '../../server/src/shard/timer-store-memory.ts';
import type { ProcessLife } from './faults.ts';
import type { Planted } from './planted.ts';

/** Whom people mute now and then. */
export const mutedActor = 'a5';

/** How far steps of the wall clock may come to within a few wishes. */
const stepsMs = 40_000;

/** So tight that stories meet it. */
export const simulatedCaps: CapRules = { ...usualCaps, push: { hourMax: 3, dayMax: 8 } };

interface Wish {
  readonly sinceMs: number;
  readonly choices: PreferenceChoices;
}

export class OutsideWorld {
  readonly profiles: ProfileStoreMemory;
  readonly timers = new TimerStoreMemory();
  /** By notification and number. */
  readonly taken = new Map<string, Dispatch>();
  readonly faults: string[] = [];
  /** Who ever muted `mutedActor`: what they see of that actor depends on when. */
  readonly muters = new Set<PersonKey>();
  readonly #clock: VirtualClock;
  readonly #store: InboxStore;
  readonly #wishes = new Map<PersonKey, Wish[]>();
  /** What was handed over in a step that is not written yet. */
  #unwritten = new Set<{ person: PersonKey; categories: ReadonlySet<string>; atMs: number }>();
  /** When something was pushed, by person and capped category. */
  readonly #sent = new Map<string, number[]>();

  constructor(clock: VirtualClock, store: InboxStore) {
    this.#clock = clock;
    this.#store = store;
    this.profiles = new ProfileStoreMemory(clock);
  }

  /** As one life of the process sees them, with its faults and those that are planted. */
  portsOf(life: ProcessLife, planted: Pick<Planted, 'timers' | 'profiles'>) {
    const { profiles } = this;
    const read = life.around(profiles).read;
    const profilePort: ProfileStore = {
      read,
      change: (changes) => profiles.change(changes),
      page: (after, max) => profiles.page(after, max),
      findByEmail: (tenant, email) => profiles.findByEmail(tenant, email),
      watch: (watcher) => profiles.watch(watcher),
      close: async () => {},
    };
    const { take } = life.around({ take: (dispatches: readonly Dispatch[]) => this.#take(dispatches) }, ['take']);
    const push: OutwardChannel = { name: 'push', endpointOf: () => 'ready', take };
    const timers = life.around<TimerStore>(this.timers, ['write']);
    const outward = { timers: planted.timers?.(timers) ?? timers, channels: [push] };
    // What the life before handed over and did not write, it did not count either.
    this.#unwritten = new Set();
    return { profiles: planted.profiles?.(profilePort) ?? profilePort, outward, capRules: simulatedCaps };
  }

  /** Everything of the step at hand is written. */
  written(): void {
    for (const { person, categories, atMs } of this.#unwritten) {
      for (const category of categories) {
        const key = `${person} ${category}`;
        this.#sent.set(key, [...(this.#sent.get(key) ?? []), atMs]);
      }
    }
    this.#unwritten = new Set();
  }

  /** Somebody wants something else from now on. */
  async changeWish(person: PersonKey, random: Random): Promise<void> {
    const nowMs = this.#clock.now();
    if (random.below(3) === 0) {
      this.muters.add(person);
      const mute = { kind: 'actor', id: mutedActor, untilMs: null } as const;
      const kind = random.below(2) === 0 ? 'mute' : 'unmute';
      await this.profiles.change([{ person, change: { kind, mute } }]);
      return;
    }
    const choices = someChoices(random, nowMs);
    this.#wishes.set(person, [...(this.#wishes.get(person) ?? []), { sinceMs: nowMs, choices }]);
    await this.profiles.change([{ person, change: { kind: 'choices', choices, expected: null } }]);
  }

  /** What is wrong in the end, when nothing is due any more. */
  async check(people: readonly PersonKey[]): Promise<string[]> {
    const found = [...this.faults, ...overCap(this.#sent)];
    const tellings = new Map<string, number>();
    for (const key of this.taken.keys()) {
      const id = key.slice(0, key.indexOf(' '));
      tellings.set(id, (tellings.get(id) ?? 0) + 1);
    }
    for (const person of people) {
      for (const item of (await this.#store.head(person, 10_000)).items) {
        found.push(
          ...checkRow(item, tellings.get(item.id) ?? 0).map((fault) => `${person} ${item.groupKey}: ${fault}`),
        );
      }
    }
    return found;
  }

  async #take(dispatches: readonly Dispatch[]): Promise<void> {
    for (const dispatch of dispatches) {
      const categories = new Set<string>();
      for (const { notification, number } of dispatch.tells) {
        if (this.taken.has(`${notification} ${number}`)) continue;
        this.taken.set(`${notification} ${number}`, dispatch);
        const item = await this.#store.item(dispatch.person, notification);
        const wrong = item === null ? 'of a row that is not there' : this.#isUnwanted(dispatch, item);
        if (wrong !== null) this.faults.push(`${dispatch.person} is pushed ${wrong}`);
        if (item !== null && item.lane !== 'direct') categories.add(item.category);
      }
      this.#unwritten.add({ person: dispatch.person, categories, atMs: dispatch.decidedAtMs });
    }
  }

  #isUnwanted({ person, decidedAtMs }: Dispatch, item: Item): string | null {
    const wishes = this.#wishes.get(person) ?? [];
    // The wall clock steps: what was wished shortly before or after may have been in force.
    const inForce = wishes.filter(({ sinceMs }, at) => {
      const endsMs = wishes[at + 1]?.sinceMs ?? Number.POSITIVE_INFINITY;
      return sinceMs - stepsMs <= decidedAtMs && decidedAtMs <= endsMs + stepsMs;
    });
    const reasons = inForce.map(({ choices }) => againstPush(choices, item, decidedAtMs));
    // Before the first wish anything goes.
    const isSurelyWished = reasons.length > 0 && (wishes[0]?.sinceMs ?? 0) + stepsMs < decidedAtMs;
    return isSurelyWished && reasons.every((reason) => reason !== null) ? (reasons[0] ?? null) : null;
  }
}

/** Times are those of a clock that steps. */
function overCap(sent: ReadonlyMap<string, readonly number[]>): string[] {
  const { hourMax, dayMax } = simulatedCaps.push;
  return [...sent].flatMap(([key, times]) => {
    const isOver = times.some((endMs) => {
      const within = (spanMs: number) => times.filter((at) => at > endMs - spanMs + stepsMs && at <= endMs).length;
      return within(3_600_000) > hourMax || within(86_400_000) > dayMax;
    });
    return isOver ? [`${key}: over the cap`] : [];
  });
}

function checkRow({ state, decisions, window }: Item, tellings: number): string[] {
  const found: string[] = [];
  const push = decisions.find(({ channel }) => channel === 'push');
  if (tellings > window.number) found.push(`told ${tellings} times in ${window.number} windows`);
  if (state !== 'live') return found;
  if (push?.kind === 'hold') found.push(`still held (${push.reason} until ${push.until})`);
  if (push?.kind === 'send' && tellings === 0) found.push('says that it was pushed, and was not');
  return found;
}

function againstPush(choices: PreferenceChoices, item: Item, atMs: number): string | null {
  if (choices.types?.[item.type]?.push === false) return `a ${item.type} after switching it off`;
  if (choices.pausedUntil && Date.parse(choices.pausedUntil) > atMs) return 'in a pause';
  return quietAt(quietSpans(choices.quietHours), 'UTC', atMs).untilMs === null ? null : 'in quiet hours';
}

function someChoices(random: Random, nowMs: number): PreferenceChoices {
  switch (random.below(4)) {
    case 0:
      return { pausedUntil: new Date(nowMs + random.below(200_000)).toISOString() };
    case 1: {
      const span = { from: clockAt(nowMs - 60_000), to: clockAt(nowMs + 60_000 * (1 + random.below(3))) };
      return { quietHours: { enabled: true, days: Object.fromEntries(weekdays.map((day) => [day, [span]])) } };
    }
    case 2:
      return { types: { 'post.liked': { push: false }, 'message.sent': { push: false } } };
    default:
      return {};
  }
}

function clockAt(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16);
}
