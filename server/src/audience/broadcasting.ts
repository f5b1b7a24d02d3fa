/** Which events are kept once for their audience instead of being written to every inbox, and how they are kept (F3). */
import { type AudienceKey, splitAudienceKey } from '../base/ids.ts';
import { series, telemetry } from '../base/telemetry.ts';
import { RecordView } from '../log/record.ts';
import type { MemberPage } from './audience-source.ts';
import { kindOf } from './audience-sources.ts';
import type { AudienceStore } from './audience-store.ts';
import type { BroadcastStore, NumberedBroadcast } from './broadcast-store.ts';
import type { FanoutJob } from './fanout-job.ts';

export interface BroadcastingParts {
  readonly audiences: Pick<AudienceStore, 'count' | 'askedForPush'>;
  readonly broadcasts: BroadcastStore;
  /** So many members have an event written to each of them. */
  readonly above: number;
  /** Kinds of audiences that are not ours: of these nobody can say which ones a person is in. */
  readonly elsewhere: ReadonlySet<string>;
  /** It can be found from now on. Must not throw. */
  readonly kept: (broadcast: NumberedBroadcast) => void;
}

const keptCount = series('carillon_broadcasts_total', {});

export class Broadcasting {
  readonly #parts: BroadcastingParts;

  constructor(parts: BroadcastingParts) {
    this.#parts = parts;
  }

  async isMeant(audience: AudienceKey): Promise<boolean> {
    const { audiences, above, elsewhere } = this.#parts;
    if (elsewhere.has(kindOf(splitAudienceKey(audience).audience))) return false;
    return (await audiences.count(audience)) > above;
  }

  async keep({ id, audience, acceptedMs, record }: FanoutJob): Promise<void> {
    const { broadcasts, kept } = this.#parts;
    const view = new RecordView();
    view.move(record, 0);
    const broadcast = { id, audience, type: view.text('type'), acceptedMs };
    const number = await broadcasts.keep(broadcast, record);
    telemetry.add(keptCount);
    kept({ ...broadcast, number });
  }

  /** Those who get it as if the audience were small. */
  askedForPush(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    return this.#parts.audiences.askedForPush(audience, after, max);
  }
}
