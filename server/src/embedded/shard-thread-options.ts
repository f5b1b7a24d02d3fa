/** What the store's thread is started with. */
import type { EmailSettings } from '../base/config-email.ts';
import type { Config } from '../base/config-schema.ts';
import type { PushSettings } from '../base/push-settings.ts';
import type { EncryptionKeys } from '../base/secret-box.ts';
import type { CatalogueSource } from '../content/catalogue-source.ts';
import type { CapRules } from '../decide/caps.ts';
import type { DeviceIdleDays } from '../profile/prune-devices.ts';
import type { AnnouncementSettings } from './announcement-settings.ts';

export interface ShardThreadOptions {
  readonly dataDir: string;
  readonly shards: number;
  readonly segmentBytes: number;
  readonly logKeptMs: number;
  readonly retentionMs: number;
  readonly rowsPerPersonMax: number;
  readonly exactPeopleMax: number;
  readonly deviceIdleDays: DeviceIdleDays;
  readonly audiences: Config['audiences'];
  readonly announce: AnnouncementSettings;
  /** Days with a soft bounce after which an address is suppressed. */
  readonly softBouncesMax: number;
  readonly capRules: CapRules;
  readonly lookingKeptMs: number;
  readonly cursorSecret: Uint8Array;
  readonly encryption: EncryptionKeys;
  readonly push: PushSettings;
  /** Development mode: where the key for browsers lies; else null. */
  readonly pushKeyFolder: string | null;
  readonly email: EmailSettings;
  /** As configured, or that of development mode. */
  readonly emailSecret: string;
  readonly catalogue: CatalogueSource;
  /** Shared with the sockets' thread; see `progress.ts`. */
  readonly progress: Float64Array;
}
