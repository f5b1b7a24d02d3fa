/**
 * The store's thread of the embedded engine: opens log and store, runs the shards and the background work, answers the
 * sockets' thread. The only place where a disk is touched.
 */
import { parentPort, type Worker, workerData } from 'node:worker_threads';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { AnnouncementStoreLevel } from '../announce/announcement-store-level.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { AudienceStoreLevel } from '../audience/audience-store-level.ts';
import type { NumberedBroadcast } from '../audience/broadcast-store.ts';
import { BroadcastStoreLevel } from '../audience/broadcast-store-level.ts';
import { FanoutStoreLevel } from '../audience/fanout-store-level.ts';
import { LaneRoom } from '../audience/lane-room.ts';
import type { RevocationStore } from '../auth/revocation-store.ts';
import { RevocationStoreLevel } from '../auth/revocation-store-level.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { watchLoopDelay } from '../base/loop-delay.ts';
import { systemRandom } from '../base/random.ts';
import { SecretBox } from '../base/secret-box.ts';
import { telemetry } from '../base/telemetry.ts';
import type { CatalogueSource } from '../content/catalogue-source.ts';
import { LiveContent } from '../content/live-content.ts';
import type { LookingNotes, LookingPeople } from '../deliver/realtime/looking-people.ts';
import { LookingPeopleMemory } from '../deliver/realtime/looking-people-memory.ts';
import type { InboxService, PageQuery } from '../inbox/inbox-service.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreLevel } from '../inbox/inbox-store-level.ts';
import { type LevelDb, openLevel } from '../inbox/open-level.ts';
import { openingInbox } from '../inbox/opening-inbox.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import { IdempotencyStoreLevel } from '../intake/idempotency-store-level.ts';
import { EventLogSegments } from '../log/event-log-segments.ts';
import { checkKeys } from '../profile/check-keys.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { DeviceStoreLevel } from '../profile/device-store-level.ts';
import { KeyRegisterLevel } from '../profile/key-register-level.ts';
import { PersonLocales } from '../profile/person-locales.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { ProfileStoreLevel } from '../profile/profile-store-level.ts';
import { Resealing, type Rotation } from '../profile/resealing.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { SuppressionStoreLevel } from '../profile/suppression-store-level.ts';
import { followersOf, StoredRelations } from '../shard/relation-reader.ts';
import { usualMemory } from '../shard/shard-memory.ts';
import { Simulator } from '../shard/simulator.ts';
import { TimerStoreLevel } from '../shard/timer-store-level.ts';
import { AnnouncementWork, type AnnouncementWorkParts } from './announcement-work.ts';
import { AudienceWork, type AudienceWorkParts } from './audience-work.ts';
import { Answerer, type Handler } from './channel.ts';
import { countCommits, recoveryProblems } from './count-commits.ts';
import { DeliveryWork } from './delivery-work.ts';
import { Housekeeping } from './housekeeping.ts';
import { LocalBroadcasts } from './local-broadcasts.ts';
import { noteLag } from './progress.ts';
import { deadLetterHandlers } from './remote-dead-letters.ts';
import { deliveryHandlers } from './remote-deliveries.ts';
import { deviceHandlers } from './remote-devices.ts';
import { suppressionHandlers } from './remote-suppressions.ts';
import { prepareFolders, ShardHost } from './shard-host.ts';
import type { Problem } from './shard-reports.ts';
import type { ShardThreadOptions } from './shard-thread-options.ts';
import { type WaysOutSources, waysOut } from './ways-out.ts';

const options = workerData as ShardThreadOptions;
const handlers: Record<string, Handler> = {};
// First, so that a problem met while opening has a way out. Nothing is asked before `ready`.
const answerer = new Answerer(parentPort as unknown as Worker, handlers);
Object.assign(handlers, await open());
answerer.notify('ready', null);

/** Opens everything; what is wrong ends the thread with its error. */
async function open(): Promise<Record<string, Handler>> {
  const clock = systemClock;
  const folders = await prepareFolders(options.dataDir);
  const log = EventLogSegments.open(folders.log, { segmentBytes: options.segmentBytes }, countCommits(clock));
  const onProblem = (problem: Problem): void => answerer.notify('problem', problem);
  for (const problem of recoveryProblems(log.recovery)) onProblem(problem);
  const db = await openLevel(folders.store);
  const store = new InboxStoreLevel(db);
  const content = openContent();
  const { describe, explain } = content;
  const idempotency = new IdempotencyStoreLevel(db, 'idempotency/');
  const { profiles, ...others } = await openProfiles(db, clock);
  const locales = new PersonLocales(profiles, clock);
  watchProfiles(profiles, (people) => host.forgetPages(people));
  const { cursorSecret, capRules } = options;
  const inbox = new InboxServiceStore({ store, clock, cursorSecret, describe, explain, localeOf: locales.of });
  const looking = new LookingPeopleMemory(clock, options.lookingKeptMs);
  const audiences = new AudienceStoreLevel(db, 'audience/');
  const relations = new StoredRelations(profiles, followersOf(audiences, options.audiences));
  const room = laneRoom(() => host.behindBytes('bulk'));
  const kept = (broadcast: NumberedBroadcast): void => broadcasts.kept(broadcast);
  const fanouts = new FanoutStoreLevel(db, 'fanout/');
  const announcing = openAnnouncements(db, { audiences, fanouts, profiles, inboxes: store, types: content, clock });
  const forAudiences = { audiences, fanouts, log, clock, onProblem, room, types: content, kept };
  const audienceWork = openAudiences(db, { ...forAudiences, announced: announcing.members });
  const known = { store, inbox, profiles, ...others, looking, content };
  const deliveries = await openDeliveries(known, { clock, onProblem });
  const host: ShardHost = new ShardHost({
    ...{ log, store, inbox, profiles, relations, capRules },
    outward: { timers: new TimerStoreLevel(db), channels: deliveries.channels, looking },
    clock,
    shards: options.shards,
    progress: options.progress,
    memory: { ...usualMemory, exactPeopleMax: options.exactPeopleMax },
    content,
    onFrames: (bytes) => answerer.notify('frames', bytes, [bytes.buffer]),
    onPagesStale: (people) => answerer.notify('pagesStale', people),
    onProblem,
    watch: () => audienceWork.watch(),
    onApplied: () => room.applied(),
  });
  const broadcasts = new LocalBroadcasts({ work: audienceWork, audiences, host, shards: options.shards });
  const stores = { log, store, idempotency, devices: others.devices, audiences: audienceWork };
  const housekeeping = new Housekeeping({ host, ...stores, clock, options, onProblem });
  const loopDelay = watchLoopDelay(telemetry, 'worker');
  await audienceWork.start();
  await host.start();
  await deliveries.start();
  announcing.run({ log, shards: options.shards, onProblem });
  endWhenFailed(host, deliveries);
  const asked = { channels: deliveries.channels, catalogue: content };
  const simulator = new Simulator({ store, profiles, relations, capRules, looking, ...asked });
  return {
    ...inboxHandlers(host, inbox, broadcasts),
    simulate: simulator.simulate.bind(simulator),
    looking: (what: keyof LookingNotes, person: PersonKey) => looking[what](person),
    ...requestHandlers(idempotency, new RevocationStoreLevel(db, 'revoked/')),
    ...profileHandlers({ profiles, ...others }),
    ...{ ...deadLetterHandlers(deliveries.deadLetters), ...deliveryHandlers(deliveries.store) },
    ...{ ...audienceHandlers(audienceWork.service), ...announcementHandlers(announcing.service) },
    useCatalogue: async (source) => content.replace(source as CatalogueSource),
    async metrics() {
      loopDelay.read();
      deliveries.noteLag();
      noteLag(options.progress, await host.oldestUnappliedMs());
      return telemetry.snapshot();
    },
    async stop() {
      loopDelay.stop();
      for (const part of [housekeeping, announcing, audienceWork, broadcasts, host, deliveries]) await part.stop();
      locales.close();
      await profiles.close();
      await db.close();
    },
  };
}

function requestHandlers(idempotency: IdempotencyStore, revocations: RevocationStore): Record<string, Handler> {
  return {
    idempotencyGet: idempotency.get.bind(idempotency),
    idempotencyPut: idempotency.put.bind(idempotency),
    idempotencyExpire: idempotency.expire.bind(idempotency),
    revocationsPut: revocations.put.bind(revocations),
    revocationsLoad: revocations.load.bind(revocations),
  };
}

function openContent(): LiveContent {
  const content = new LiveContent(options.catalogue);
  // Before the first event comes.
  void content.current.words;
  return content;
}

/** Nothing more can be acknowledged or applied then: the process must end and start again from the log. */
function endWhenFailed(host: ShardHost, deliveries: DeliveryWork): void {
  Promise.all([host.failed, deliveries.failed]).catch((error: unknown) => {
    host.report('shardFailed', error);
    setImmediate(() => {
      throw error;
    });
  });
}

interface DeliverySources extends WaysOutSources {
  readonly store: InboxStoreLevel;
  readonly inbox: InboxService;
  readonly profiles: ProfileStore;
  readonly looking: LookingPeople;
}

async function openDeliveries(
  known: Omit<DeliverySources, 'clock' | 'random'>,
  parts: Pick<SharedParts, 'clock' | 'onProblem'>,
) {
  const { store, inbox, profiles, looking, content } = known;
  const ways = await waysOut(options, { ...known, ...parts, random: systemRandom });
  const unreadOf = async (person: PersonKey): Promise<number> => (await inbox.counts(person)).unread;
  const facts = { inbox: store, profiles, looking, content, unreadOf };
  return DeliveryWork.open({ ...options, ...parts, ...facts, ways, random: systemRandom });
}

/** Whoever has changed is told to the sockets' thread, too. */
function watchProfiles(profiles: ProfileStore, changed: (people: readonly PersonKey[]) => void): void {
  profiles.watch({
    changed(people) {
      changed(people);
      answerer.notify('profilesChanged', people);
    },
    missed() {},
  });
}

function inboxHandlers(host: ShardHost, kept: InboxService, broadcasts: LocalBroadcasts): Record<string, Handler> {
  const inbox = openingInbox(kept, broadcasts.open);
  return {
    append: host.append.bind(host),
    async openFeed(person: PersonKey, since: Revision | null) {
      await broadcasts.open(person);
      const catchup = await host.openFeed(person, since);
      // What was kept meanwhile was shown to those who were there already.
      void broadcasts.open(person);
      return catchup;
    },
    closeFeed: host.closeFeed.bind(host),
    mark: host.mark.bind(host),
    erase: host.erase.bind(host),
    page: inbox.page.bind(inbox),
    async pageText(person: PersonKey, query: PageQuery) {
      await broadcasts.open(person);
      return host.pageText(person, query);
    },
    notification: inbox.notification.bind(inbox),
    actors: inbox.actors.bind(inbox),
    why: inbox.why.bind(inbox),
    decisions: inbox.decisions.bind(inbox),
    counts: inbox.counts.bind(inbox),
    changes: inbox.changes.bind(inbox),
    catchup: inbox.catchup.bind(inbox),
  };
}

async function openProfiles(db: LevelDb, clock: Clock): Promise<KnownOfPeople & { profiles: ProfileStoreLevel }> {
  const box = new SecretBox(options.encryption);
  const keys = new KeyRegisterLevel(db, 'encryption/');
  await checkKeys(box, keys);
  const profiles = new ProfileStoreLevel(db, 'profile/', { clock, box });
  const { softBouncesMax } = options;
  const devices = new DeviceStoreLevel({ db, prefix: 'device/', profiles, clock, box });
  const suppressions = new SuppressionStoreLevel({ db, prefix: 'suppression/', clock, box, softBouncesMax });
  const rotation = new Resealing([profiles, devices, suppressions], keys, box.current);
  return { profiles, devices, suppressions, rotation };
}

interface KnownOfPeople {
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  readonly suppressions: SuppressionStore;
  readonly rotation: Rotation;
}

function profileHandlers({ profiles, devices, suppressions, rotation }: KnownOfPeople): Record<string, Handler> {
  return {
    profilesRead: profiles.read.bind(profiles),
    profilesChange: profiles.change.bind(profiles),
    profilesPage: profiles.page.bind(profiles),
    profilesFindByEmail: profiles.findByEmail.bind(profiles),
    ...deviceHandlers(devices),
    ...suppressionHandlers(suppressions),
    rotationStep: rotation.step.bind(rotation),
    rotationFinish: rotation.finish.bind(rotation),
  };
}

function laneRoom(behindBytes: () => number): LaneRoom {
  return new LaneRoom({ behindBytes, bytesMax: limits.fanoutAheadBytes, batchesMax: limits.fanoutBatchesMax });
}

type SharedParts = Omit<AudienceWorkParts, 'broadcasts' | 'shards' | 'settings'>;

function openAudiences(db: LevelDb, parts: SharedParts): AudienceWork {
  return new AudienceWork({
    ...parts,
    broadcasts: new BroadcastStoreLevel(db, 'broadcast/'),
    shards: options.shards,
    settings: options.audiences,
  });
}

type AnnouncementParts = Omit<AnnouncementWorkParts, 'announcements' | 'settings' | 'announce' | 'random'>;

function openAnnouncements(db: LevelDb, parts: AnnouncementParts): AnnouncementWork {
  const announcements = new AnnouncementStoreLevel(db, 'announcement/');
  const { audiences: settings, announce } = options;
  return new AnnouncementWork({ ...parts, announcements, settings, announce, random: systemRandom });
}

function announcementHandlers(service: AnnouncementService): Record<string, Handler> {
  return {
    announcementCreate: service.create.bind(service),
    announcementGet: service.get.bind(service),
    announcementList: service.list.bind(service),
    announcementAct: service.act.bind(service),
  };
}

function audienceHandlers(service: AudienceService): Record<string, Handler> {
  return {
    audiencesUnknown: service.unknown.bind(service),
    audienceSet: service.set.bind(service),
    audienceApply: service.apply.bind(service),
    audiencesLeave: service.leaveAll.bind(service),
    audienceView: service.view.bind(service),
    fanouts: service.fanouts.bind(service),
  };
}
