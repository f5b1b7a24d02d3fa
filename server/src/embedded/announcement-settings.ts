/** How announcements are treated, as configured (A4). */
import type { Config } from '../base/config-schema.ts';
import { derivedConfig } from '../base/derived-config.ts';

export interface AnnouncementSettings {
  /** Whoever wrote one may approve it. */
  readonly selfApproval: boolean;
  /** One that is overdue for longer waits to be confirmed. */
  readonly staleAfterMs: number;
}

export function announcementSettings(config: Config): AnnouncementSettings {
  return {
    selfApproval: derivedConfig(config).selfApproval,
    staleAfterMs: config.broadcasts.staleAfterSeconds * 1000,
  };
}
