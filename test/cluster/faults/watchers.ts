/** Devices of the people with the most rows and of others drawn by chance, and what they must show in the end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Notification } from '@carillon/contract/notification.ts';
import type { Random } from '../../../server/src/base/random.ts';
import type { ExpectedInboxes } from '../../crash/expected-inboxes.ts';
import type { FaultCluster } from './fault-cluster.ts';
import { rowsMax, Watcher } from './watcher.ts';

const busiest = 10;
const others = 30;
const betweenMarksMs = 300;
/** What is on its way to a device, or found by a look at the inbox, is there by then. */
const arrivesWithinMs = 60_000;

export class Watchers {
  readonly #all: readonly Watcher[];
  readonly #random: Random;
  #isSettled = false;
  #marking: Promise<void> | null = null;

  constructor(cluster: FaultCluster, expected: ExpectedInboxes, random: Random) {
    this.#random = random;
    const gateways = cluster.of('gateway,api').map(({ url }) => url);
    const byRows = expected.users
      .map((user) => ({ user, rows: rowsOf(expected, user) }))
      .sort((a, b) => b.rows - a.rows);
    const users = new Set(byRows.slice(0, busiest).map(({ user }) => user));
    while (users.size < Math.min(busiest + others, byRows.length))
      users.add(byRows[random.below(byRows.length)]?.user ?? '');
    this.#all = [...users].map((user, index) => new Watcher(user, gateways, index));
  }

  start(): void {
    for (const watcher of this.#all) watcher.start();
    this.#marking = this.#markNowAndThen();
  }

  async #markNowAndThen(): Promise<void> {
    while (!this.#isSettled) {
      await pause(betweenMarksMs);
      await this.#all[this.#random.below(this.#all.length)]?.markSeen();
    }
  }

  /** Compares each with its inbox, until they agree or it is too late. Stops them. */
  async check(): Promise<string[]> {
    this.#isSettled = true;
    await this.#marking;
    const faults: string[] = [];
    const endMs = performance.now() + arrivesWithinMs;
    for (const watcher of this.#all) {
      let differs = await difference(watcher);
      while (differs !== null && performance.now() < endMs) {
        await pause(200);
        differs = await difference(watcher);
      }
      if (differs !== null) faults.push(`${watcher.user}: ${differs}`);
      faults.push(...(await marksLost(watcher)));
    }
    await Promise.all(this.#all.map((watcher) => watcher.stop()));
    return [...faults, ...this.#all.flatMap(({ user, faults: own }) => own.map((fault) => `${user}: ${fault}`))];
  }

  summary(): string {
    const sum = (of: (watcher: Watcher) => number): number => this.#all.reduce((total, each) => total + of(each), 0);
    return (
      `${this.#all.length} devices (${this.#all.filter(({ seenAnswered }) => seenAnswered > 0).length} marked rows as seen), ${sum(({ connections }) => connections)} connections, ` +
      `${sum(({ frames }) => frames)} frames, ${sum(({ resyncs }) => resyncs)} times loaded anew, ` +
      `${sum(({ items }) => items.size)} rows shown`
    );
  }
}

function rowsOf(expected: ExpectedInboxes, user: string): number {
  const { reposts, alone } = expected.of(user);
  return reposts.length + alone.size;
}

async function difference(watcher: Watcher): Promise<string | null> {
  const inbox = new Set((await watcher.list()).map(describe));
  const shown = new Set(newest([...watcher.items.values()]).map(describe));
  const lacks = [...inbox.difference(shown)];
  const invents = [...shown.difference(inbox)];
  const unread = Math.min(inbox.size, 100);
  if (lacks.length + invents.length > 0) {
    return `the device lacks ${lacks.slice(0, 3).join('; ')} (${lacks.length}), shows ${invents.slice(0, 3).join('; ')} (${invents.length})`;
  }
  if (watcher.counts?.unread !== unread) return `the device counts ${watcher.counts?.unread} unread, not ${unread}`;
  return null;
}

/** In the inbox's order; a device may know of more, from frames. No row of this load is ever taken out. */
function newest(items: readonly Notification[]): Notification[] {
  return items
    .toSorted((a, b) => Date.parse(b.activityAt) - Date.parse(a.activityAt) || (a.id < b.id ? -1 : 1))
    .slice(0, rowsMax);
}

/** A mark that was answered holds, and nothing is marked that nobody marked (I3). */
async function marksLost(watcher: Watcher): Promise<string[]> {
  const { user, seenAnswered, seenAsked } = watcher;
  const rows = await watcher.list();
  return rows.flatMap(({ id, activityRevision, state: { seen } }) => {
    if (!seen && activityRevision <= seenAnswered) return [`${user}: ${id} lost its mark`];
    if (seen && activityRevision > seenAsked) return [`${user}: ${id} is marked by nobody`];
    return [];
  });
}

function describe({ id, revision, actorCount }: Notification): string {
  return `${id} r${revision} ${actorCount}`;
}
