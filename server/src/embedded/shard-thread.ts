/**
 * The store's thread of the embedded engine: opens log and store, runs the shards, answers the sockets' thread.
 * The only place where a disk is touched.
 */
import { parentPort, type Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import type { InboxService, MarkRequest, PageQuery } from '../inbox/inbox-service.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreLevel } from '../inbox/inbox-store-level.ts';
import { type LevelDb, openLevel } from '../inbox/open-level.ts';
import { EventLogSegments } from '../log/event-log-segments.ts';
import type { PackedBatch } from '../log/record.ts';
import { Answerer, type Handler } from './channel.ts';
import { prepareFolders, ShardHost } from './shard-host.ts';

export interface ShardThreadOptions {
  readonly dataDir: string;
  readonly shards: number;
  readonly segmentBytes: number;
  readonly cursorSecret: Uint8Array;
  /** Shared with the sockets' thread: bytes not yet applied, per lane. */
  readonly unapplied: Float64Array;
}

interface Engine {
  readonly host: ShardHost;
  readonly inbox: InboxService;
  readonly db: LevelDb;
}

const options = workerData as ShardThreadOptions;
const port = parentPort as unknown as Worker;
let engine: Promise<Engine> | null = null;

const answerer = new Answerer(port, { start, stop, append, ...inboxHandlers(), ...feedHandlers() });

async function start(): Promise<void> {
  engine = open();
  const { host } = await engine;
  await host.start();
  host.failed.catch((error: unknown) => {
    throw error;
  });
}

async function open(): Promise<Engine> {
  const folders = await prepareFolders(options.dataDir);
  const log = EventLogSegments.open(folders.log, { segmentBytes: options.segmentBytes });
  const db = await openLevel(folders.store);
  const store = new InboxStoreLevel(db);
  const inbox = new InboxServiceStore({
    store,
    clock: systemClock,
    cursorSecret: options.cursorSecret,
    describe: describeInApp,
  });
  const host = new ShardHost({
    log,
    store,
    inbox,
    clock: systemClock,
    shards: options.shards,
    unappliedBytes: options.unapplied,
    onFrames: (bytes) => answerer.notify('frames', bytes, [bytes.buffer]),
    onDecided: () => {},
    onProblem: (problem, detail) => answerer.notify('problem', { problem, detail }),
  });
  return { host, inbox, db };
}

async function stop(): Promise<void> {
  if (engine === null) return;
  const { host, db } = await engine;
  await host.stop();
  await db.close();
}

async function append(batch: PackedBatch): Promise<Uint8Array | null> {
  return (await running()).host.append(batch);
}

function running(): Promise<Engine> {
  if (engine === null) throw new Error('the engine has not been started');
  return engine;
}

function inboxHandlers(): Record<string, Handler> {
  const inbox = async (): Promise<InboxService> => (await running()).inbox;
  return {
    page: async (person: PersonKey, query: PageQuery) => (await inbox()).page(person, query),
    notification: async (person: PersonKey, id: NotificationId) => (await inbox()).notification(person, id),
    actors: async (person: PersonKey, id: NotificationId, cursor: string | null, limit: number) =>
      (await inbox()).actors(person, id, cursor, limit),
    why: async (person: PersonKey, id: NotificationId) => (await inbox()).why(person, id),
    counts: async (person: PersonKey) => (await inbox()).counts(person),
    changes: async (person: PersonKey, since: Revision) => (await inbox()).changes(person, since),
    catchup: async (person: PersonKey, since: Revision | null) => (await inbox()).catchup(person, since),
    mark: async (person: PersonKey, request: MarkRequest) => (await running()).host.mark(person, request),
  };
}

function feedHandlers(): Record<string, Handler> {
  return {
    openFeed: async (person: PersonKey, since: Revision | null) => (await running()).host.openFeed(person, since),
    closeFeed: async (person: PersonKey) => (await running()).host.closeFeed(person),
  };
}
