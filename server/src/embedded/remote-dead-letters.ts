/** Dead letters as the sockets' thread sees them: asked of the store's thread. */
import type { TenantId } from '../base/ids.ts';
import type { DeadLetter, DeadLetterFilter } from '../deliver/dead-letter-store.ts';
import type { DeadLetterService, RedriveOrder, RedriveReport } from '../deliver/dead-letters.ts';
import type { Caller, Handler } from './channel.ts';

export class RemoteDeadLetters implements DeadLetterService {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  page(tenant: TenantId, filter: DeadLetterFilter, after: string | null, max: number): Promise<readonly DeadLetter[]> {
    return this.#caller.call('deadLettersPage', [tenant, filter, after, max]);
  }

  count(tenant: TenantId, filter: DeadLetterFilter): Promise<number> {
    return this.#caller.call('deadLettersCount', [tenant, filter]);
  }

  redrive(tenant: TenantId, order: RedriveOrder): Promise<RedriveReport> {
    return this.#caller.call('deadLettersRedrive', [tenant, order]);
  }
}

/** The answering side; none where nothing is sent. */
export function deadLetterHandlers(letters: DeadLetterService | null): Record<string, Handler> {
  if (letters === null) return {};
  return {
    deadLettersPage: letters.page.bind(letters),
    deadLettersCount: letters.count.bind(letters),
    deadLettersRedrive: letters.redrive.bind(letters),
  };
}
