/** A data folder as an embedded engine leaves it: applied events, marks, removed rows, and events that wait. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActedEvent } from '@carillon/contract/event.ts';
import { AnnouncementStoreLevel } from '../../../server/src/announce/announcement-store-level.ts';
import { testAnnouncement } from '../../../server/src/announce/test-announcement.ts';
import { AudienceStoreLevel } from '../../../server/src/audience/audience-store-level.ts';
import type { Broadcast } from '../../../server/src/audience/broadcast-store.ts';
import { BroadcastStoreLevel } from '../../../server/src/audience/broadcast-store-level.ts';
import type { FanoutJob } from '../../../server/src/audience/fanout-job.ts';
import { FanoutStoreLevel } from '../../../server/src/audience/fanout-store-level.ts';
import type { MembershipChange } from '../../../server/src/audience/membership.ts';
import { RevocationStoreLevel } from '../../../server/src/auth/revocation-store-level.ts';
import { audienceKey, defaultTenant, type PersonKey, personKey } from '../../../server/src/base/ids.ts';
import { drawKeys, SecretBox } from '../../../server/src/base/secret-box.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { describeInApp } from '../../../server/src/content/describe-in-app.ts';
import { createProgress } from '../../../server/src/embedded/progress.ts';
import { prepareFolders, ShardHost } from '../../../server/src/embedded/shard-host.ts';
import { InboxServiceStore } from '../../../server/src/inbox/inbox-service-store.ts';
import type { InboxStore } from '../../../server/src/inbox/inbox-store.ts';
import { InboxStoreLevel } from '../../../server/src/inbox/inbox-store-level.ts';
import { openLevel } from '../../../server/src/inbox/open-level.ts';
import { IdempotencyStoreLevel } from '../../../server/src/intake/idempotency-store-level.ts';
import type { EventLog } from '../../../server/src/log/event-log.ts';
import { EventLogSegments } from '../../../server/src/log/event-log-segments.ts';
import type { DeviceAddress, StoredDevice } from '../../../server/src/profile/device.ts';
import { DeviceStoreLevel } from '../../../server/src/profile/device-store-level.ts';
import type { Profile } from '../../../server/src/profile/profile.ts';
import { ProfileStoreLevel } from '../../../server/src/profile/profile-store-level.ts';
import type { Suppression } from '../../../server/src/profile/suppression.ts';
import { SuppressionStoreLevel } from '../../../server/src/profile/suppression-store-level.ts';
import type { Timer } from '../../../server/src/shard/timer-store.ts';
import { TimerStoreLevel } from '../../../server/src/shard/timer-store-level.ts';
import { packEvents } from '../../sim/pack-event.ts';

const users = 30;
export const people: readonly PersonKey[] = Array.from({ length: users }, (_, n) => personKey('default', `u${n}`));
/** Has read everything before anything came. */
export const onlyMarked = personKey('default', 'only marked');
/** Whose one row has been removed. */
export const removed = personKey('default', 'removed');
export const answer = { request: 'r', status: 202, headers: {}, body: '{"run":1}' };
/** One for each, of times long ago to times far ahead. */
export const timers: readonly Timer[] = people.map((person, n) => ({
  id: `release.${n}`,
  dueMs: Date.UTC(2026, 2, 9) + n * 40_000_000,
  revision: n + 1,
  person,
  kind: 'release',
  data: `push ${n}`,
}));
/** What each of the people has said and chosen. */
export const profile: Profile = {
  revision: 900,
  version: 800,
  choices: { channels: { push: false }, types: { 'post.liked': { email: true } } },
  facts: null,
  mutes: [{ kind: 'word', id: 'spoiler', sinceMs: 1, untilMs: null }],
  devices: 1,
};
/** Held against an address. */
export const suppression: Suppression = {
  address: 'gone@people.example',
  reason: 'hard',
  sinceMs: 5,
  by: 'ses',
  code: '5.1.1',
  softDays: [3],
  clearedMs: 1,
};
export const box = new SecretBox(drawKeys('of the move'));
/** Of the first person's device. */
export const session = 'default\u0001s1';
export const addressOf = (person: PersonKey): DeviceAddress => ({ kind: 'token', value: `token of ${person}` });
export const fans = audienceKey('default', 'followers:u0');
export const fanoutJob: FanoutJob = {
  id: 'f_moved',
  shard: 0,
  audience: fans,
  source: 'app',
  event: 'post 1',
  acceptedMs: 1000,
  record: Buffer.from([1, 0, 255]),
};
export const announcement = testAnnouncement({ status: 'paused', version: 7, isSent: true });
export const broadcastOf = (n: number): Broadcast => {
  return { id: `f_${n}`, audience: fans, type: 'post.published', acceptedMs: n * 1000 };
};
export const fanoutReached = { after: 'u17', chunks: 3, recipients: 12, kept: false };
export const revoked = { session: 's1', untilMs: 9e12 };

export class EmbeddedData {
  readonly folder: string;
  readonly clock = new VirtualClock();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<EmbeddedData> {
    const data = new EmbeddedData(await mkdtemp(join(tmpdir(), 'carillon-move-')));
    await data.#fill();
    return data;
  }

  /** What the embedded engine itself would make of it: all events applied. */
  async run(visit: (store: InboxStore) => Promise<void>): Promise<void> {
    await this.#open(async ({ host, store }) => {
      await host.settled();
      await visit(store);
    });
  }

  dispose(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }

  async #fill(): Promise<void> {
    const { clock } = this;
    await this.#open(async ({ host, store, db }) => {
      for (let hour = 0; hour < 6; hour++) {
        await host.append(packEvents(eventsOf(hour, clock.now()), clock.now()));
        await host.settled();
        for (const person of people.slice(0, 5)) {
          const [row] = (await store.head(person, 1)).items;
          if (row !== undefined) await host.mark(person, { kind: 'read', ids: [row.id] });
        }
        clock.advance(3_600_000);
      }
      for (const person of people.slice(5, 9)) await host.mark(person, { kind: 'read', throughTimeMs: clock.now() });
      await store.mergeMarks(onlyMarked, { version: 9, readThrough: 7 });
      const [row] = (await store.head(removed, 1)).items;
      await host.removeRows(removed, row === undefined ? [] : [row]);
      await new IdempotencyStoreLevel(db, 'idempotency/').put('k1', answer, clock.now() + 3_600_000);
      await new RevocationStoreLevel(db, 'revoked/').put(revoked);
      const profiles = new ProfileStoreLevel(db, 'profile/', { clock, box });
      await profiles.change(people.map((person) => ({ person, change: { kind: 'restore', profile } })));
      await new DeviceStoreLevel({ db, prefix: 'device/', profiles, clock, box }).restore(people.map(deviceOf));
      const suppressions = new SuppressionStoreLevel({ db, prefix: 'suppression/', clock, box, softBouncesMax: 5 });
      await suppressions.restore([{ tenant: defaultTenant, suppression }]);
      await fillAudiences(new AudienceStoreLevel(db, 'audience/'), new FanoutStoreLevel(db, 'fanout/'));
      await fillBroadcasts(new BroadcastStoreLevel(db, 'broadcast/'));
      await new AnnouncementStoreLevel(db, 'announcement/').create(announcement);
      const timerStore = new TimerStoreLevel(db);
      await timerStore.open(0);
      await timerStore.write(0, { set: timers });
    });
    const log = EventLogSegments.open(join(this.folder, 'log'));
    await log.append(packEvents(eventsOf(6, clock.now()), clock.now()));
    await log.close();
  }

  async #open(
    work: (parts: { host: ShardHost; store: InboxStore; db: Awaited<ReturnType<typeof openLevel>> }) => Promise<void>,
  ): Promise<void> {
    const folders = await prepareFolders(this.folder);
    const db = await openLevel(folders.store);
    const store = new InboxStoreLevel(db);
    const log = EventLogSegments.open(folders.log);
    const host = hostOver({ log, store, clock: this.clock, shards: 1 });
    await host.start();
    await work({ host, store, db });
    await host.stop();
    await db.close();
  }
}

/** The first one is forgotten already: numbers in a cluster begin anew. */
async function fillBroadcasts(broadcasts: BroadcastStoreLevel): Promise<void> {
  for (const broadcast of [1, 2, 3].map(broadcastOf)) await broadcasts.keep(broadcast, fanoutJob.record);
  await broadcasts.advance(people.slice(0, 1), 2);
  await broadcasts.advance(people.slice(1, 2), 3);
  await broadcasts.advance(people.slice(2, 3), 1);
  while ((await broadcasts.prune(2000)) > 0);
}

/** Everybody follows u0; one has left, and must stay gone when a follow from before that comes late. */
async function fillAudiences(audiences: AudienceStoreLevel, fanouts: FanoutStoreLevel): Promise<void> {
  const changes = Array.from({ length: users }, (_, n) => ({
    audience: fans,
    user: `u${n}`,
    present: true,
    notify: n % 2 === 0,
    seq: n,
    timeMs: 1000,
    takenMs: 1000,
  }));
  const left = { ...changes[0], present: false, seq: 5 } as MembershipChange;
  await audiences.apply([...changes, left], { logged: false });
  await fanouts.begin([fanoutJob]);
  await fanouts.advance(fanoutJob, fanoutReached);
}

/** Shards over any log and store, as an engine would run them. */
export function hostOver(parts: { log: EventLog; store: InboxStore; clock: VirtualClock; shards: number }): ShardHost {
  const { store, clock } = parts;
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: Buffer.alloc(32), describe: describeInApp });
  return new ShardHost({ ...parts, inbox, progress: createProgress(), onFrames: () => {}, onProblem: () => {} });
}

/** Likes of one post by many, comments of their own, a mention of three at once, and one like taken back. */
function eventsOf(hour: number, nowMs: number): ActedEvent[] {
  const events: ActedEvent[] = [];
  const time = new Date(nowMs).toISOString();
  const add = (id: string, type: string, to: ActedEvent['to'], seq = 1): void => {
    const [actor, thing] = id.split(' ') as [string, string];
    const object = { kind: type.startsWith('post') ? 'post' : 'comment', id: thing };
    events.push({ id: `${type} ${id} ${seq}`, source: 'app', type, time, seq, actor: { id: actor }, object, to });
  };
  for (let user = 0; user < users; user++) {
    const to = { user: `u${user}` };
    for (let n = 0; n <= user % 7; n++) add(`a${hour}-${n} p${user}`, 'post.liked', to);
    add(`b c${user}-${hour}`, 'mention.created', to);
  }
  if (hour === 0) add('a0-0 p0', 'post.liked', { user: 'removed' });
  if (hour === 2) add('a1-0 p6', 'post.unliked', { user: 'u6' }, 2);
  add(`b m-${hour}`, 'mention.created', { users: ['u0', 'u1', 'u2'] });
  return events;
}

function deviceOf(person: PersonKey, n: number): StoredDevice {
  return {
    id: `d_${n}`,
    person,
    provider: 'fcm',
    address: addressOf(person),
    app: 'app.example',
    appVersion: '7',
    environment: 'production',
    locale: null,
    timeZone: 'Asia/Kolkata',
    registeredAtMs: 1000 + n,
    seenAtMs: 2000 + n,
    session: n === 0 ? session : null,
  };
}
