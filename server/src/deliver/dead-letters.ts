/**
 * What operators do with dead letters (V5): look at them, ask what would happen if they were sent again, and send them
 * again, so many at a time. A dry run looks at everything as the worker will; sending hands each to the log of its channel,
 * as it is now, so that of two who do it at once one sends.
 */
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from './dead-letter-store.ts';
import type { Job, OutwardName } from './delivery.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Redrive } from './dispatch-record.ts';
import type { LastLook } from './last-look.ts';
import { timedTelling } from './retry-timers.ts';

export interface RedriveOrder {
  readonly filter: DeadLetterFilter;
  readonly isDryRun: boolean;
  /** The first of them behind this name; null: from the first. */
  readonly after: string | null;
  readonly max: number;
}

export interface RedriveReport {
  /** Handed over, or in a dry run: that would be. */
  readonly sent: number;
  /** By reason: those that are not sent again. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Where the next order goes on; null: there are no more. */
  readonly next: string | null;
}

export interface DeadLetterService {
  page(tenant: TenantId, filter: DeadLetterFilter, after: string | null, max: number): Promise<readonly DeadLetter[]>;
  count(tenant: TenantId, filter: DeadLetterFilter): Promise<number>;
  redrive(tenant: TenantId, order: RedriveOrder): Promise<RedriveReport>;
}

export interface DeadLettersParts {
  readonly letters: DeadLetterStore;
  readonly deliveries: Pick<DeliveryStore, 'find'>;
  readonly channels: readonly {
    readonly name: OutwardName;
    redrive(redrives: readonly Redrive[], nowMs: number): Promise<void>;
  }[];
  /** Of these channels, and of nobody else. */
  readonly looks: ReadonlyMap<OutwardName, LastLook>;
  readonly clock: Clock;
}

export class DeadLetters implements DeadLetterService {
  readonly page: DeadLetterStore['page'];
  readonly count: DeadLetterStore['count'];
  readonly #parts: DeadLettersParts;
  /** Looks must not overlap. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
    this.page = parts.letters.page.bind(parts.letters);
    this.count = parts.letters.count.bind(parts.letters);
  }

  redrive(tenant: TenantId, order: RedriveOrder): Promise<RedriveReport> {
    const done = this.#turn.then(() => this.#redrive(tenant, order));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #redrive(tenant: TenantId, { filter, isDryRun, after, max }: RedriveOrder): Promise<RedriveReport> {
    const letters = await this.page(tenant, filter, after, max);
    const skipped: Record<string, number> = {};
    let sent = 0;
    for (const channel of this.#parts.channels) {
      const own = letters.filter((letter) => letter.channel === channel.name);
      const going = await this.#going(channel.name, own, (reason) => {
        skipped[reason] = (skipped[reason] ?? 0) + 1;
      });
      sent += going.length;
      if (!isDryRun && going.length > 0) await channel.redrive(going, this.#parts.clock.now());
    }
    const others = letters.filter(({ channel }) => !this.#parts.channels.some(({ name }) => name === channel));
    if (others.length > 0) skipped.noProvider = others.length;
    return { sent, skipped, next: letters.length < max ? null : (letters.at(-1)?.name ?? null) };
  }

  /** What of these would leave now, or once it may. */
  async #going(name: OutwardName, letters: readonly DeadLetter[], skip: (reason: string) => void): Promise<Redrive[]> {
    const look = this.#parts.looks.get(name);
    if (letters.length === 0 || look === undefined) return [];
    const keys = letters.map((letter) => ({ ...timedTelling(letter.name), person: letter.person, channel: name }));
    const found = await this.#parts.deliveries.find(keys);
    const jobs = letters.flatMap((letter, at) => {
      const job = found[at] ?? null;
      const delivery = job?.deliveries.find(({ endpoint }) => endpoint === letter.endpoint);
      if (job !== null && delivery?.version === letter.version) return [{ letter, job }];
      skip('changed');
      return [];
    });
    const looks = await look.at(jobs.map(({ job }) => job));
    return jobs.flatMap(({ letter, job }, at) => {
      const looked = looks[at]?.looked;
      if (looked?.kind === 'send' || looked?.kind === 'hold') return [redriveOf(letter, job)];
      skip(looked?.kind === 'skip' ? looked.reason : 'expired');
      return [];
    });
  }
}

function redriveOf({ person, name, endpoint, version }: DeadLetter, { lane }: Job): Redrive {
  const { notification, number } = timedTelling(name);
  return { person, telling: { notification, number }, lane, endpoint, version };
}
