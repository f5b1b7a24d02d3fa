/** The data folder of an embedded engine that does not run, opened to be read. Held until it is closed. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AnnouncementStoreLevel } from '../announce/announcement-store-level.ts';
import { AudienceStoreLevel } from '../audience/audience-store-level.ts';
import { BroadcastStoreLevel } from '../audience/broadcast-store-level.ts';
import { FanoutStoreLevel } from '../audience/fanout-store-level.ts';
import { RevocationStoreLevel } from '../auth/revocation-store-level.ts';
import { systemClock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { InboxStoreLevel } from '../inbox/inbox-store-level.ts';
import { openLevel } from '../inbox/open-level.ts';
import { IdempotencyStoreLevel } from '../intake/idempotency-store-level.ts';
import type { EventLog } from '../log/event-log.ts';
import { EventLogSegments } from '../log/event-log-segments.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { DeviceStoreLevel } from '../profile/device-store-level.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { ProfileStoreLevel } from '../profile/profile-store-level.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { SuppressionStoreLevel } from '../profile/suppression-store-level.ts';
import type { TimerStore } from '../shard/timer-store.ts';
import { TimerStoreLevel } from '../shard/timer-store-level.ts';
import { MoveError } from './move-error.ts';

export interface EmbeddedSource {
  /** Drawn once and kept in the folder: tells this data from any other. */
  readonly id: string;
  readonly log: EventLog;
  readonly inbox: Pick<InboxStoreLevel, 'everyone'> & InboxStore;
  readonly idempotency: Pick<IdempotencyStoreLevel, 'all'>;
  readonly revocations: RevocationStoreLevel;
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  readonly suppressions: SuppressionStore;
  readonly timers: TimerStore;
  readonly audiences: AudienceStoreLevel;
  readonly fanouts: FanoutStoreLevel;
  readonly broadcasts: BroadcastStoreLevel;
  readonly announcements: AnnouncementStoreLevel;
  close(): Promise<void>;
}

export interface SourceOptions {
  readonly random: Random;
  /** With the keys that the engine ran with. */
  readonly box: SecretBox;
  readonly segmentBytes?: number;
}

const idKey = 'move/id';
const idBytes = 12;

/** Rejects with MoveError when there is no data, or a process has it open. */
export async function openEmbeddedSource(
  dataDir: string,
  { random, box, segmentBytes }: SourceOptions,
): Promise<EmbeddedSource> {
  const [logFolder, storeFolder] = [join(dataDir, 'log'), join(dataDir, 'store')];
  for (const folder of [logFolder, storeFolder]) {
    await access(folder).catch(() => {
      throw new MoveError(`${dataDir} holds no data of the embedded engine.`);
    });
  }
  const log = opened(dataDir, () =>
    EventLogSegments.open(logFolder, segmentBytes === undefined ? {} : { segmentBytes }),
  );
  try {
    const db = await openLevel(storeFolder).catch((error: unknown) => {
      throw inUse(dataDir, error);
    });
    const id = (await db.get(idKey)) ?? random.hex(idBytes);
    await db.batch().put(idKey, id).write({ sync: true });
    const profiles = new ProfileStoreLevel(db, 'profile/', { clock: systemClock, box });
    return {
      id,
      log,
      inbox: new InboxStoreLevel(db),
      idempotency: new IdempotencyStoreLevel(db, 'idempotency/'),
      revocations: new RevocationStoreLevel(db, 'revoked/'),
      profiles,
      devices: new DeviceStoreLevel({ db, prefix: 'device/', profiles, clock: systemClock, box }),
      // Nothing is counted here.
      suppressions: new SuppressionStoreLevel({
        db,
        prefix: 'suppression/',
        clock: systemClock,
        box,
        softBouncesMax: 1,
      }),
      timers: new TimerStoreLevel(db),
      audiences: new AudienceStoreLevel(db, 'audience/'),
      fanouts: new FanoutStoreLevel(db, 'fanout/'),
      broadcasts: new BroadcastStoreLevel(db, 'broadcast/'),
      announcements: new AnnouncementStoreLevel(db, 'announcement/'),
      async close() {
        await log.close();
        await db.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

function opened<Result>(dataDir: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw inUse(dataDir, error);
  }
}

function inUse(dataDir: string, error: unknown): MoveError {
  const why = error instanceof Error ? error.message : String(error);
  return new MoveError(`${dataDir} cannot be opened: stop the service that uses it. (${why})`);
}
