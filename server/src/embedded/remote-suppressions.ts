/** Suppressions as the sockets' thread sees them: asked of the store's thread. */
import type { TenantId } from '../base/ids.ts';
import type { Suppression } from '../profile/suppression.ts';
import type {
  AddressChange,
  ChangedSuppression,
  StoredSuppression,
  StoredSuppressionPage,
  SuppressionPage,
  SuppressionStore,
} from '../profile/suppression-store.ts';
import type { Caller, Handler } from './channel.ts';

export class RemoteSuppressions implements SuppressionStore {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  find(tenant: TenantId, addresses: readonly string[]): Promise<readonly (Suppression | null)[]> {
    return this.#caller.call('suppressionsFind', [tenant, addresses]);
  }

  change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    return this.#caller.call('suppressionsChange', [changes]);
  }

  page(tenant: TenantId, after: string | null, max: number): Promise<SuppressionPage> {
    return this.#caller.call('suppressionsPage', [tenant, after, max]);
  }

  everything(after: string | null, max: number): Promise<StoredSuppressionPage> {
    return this.#caller.call('suppressionsEverything', [after, max]);
  }

  restore(suppressions: readonly StoredSuppression[]): Promise<void> {
    return this.#caller.call('suppressionsRestore', [suppressions]);
  }
}

/** The answering side. */
export function suppressionHandlers(suppressions: SuppressionStore): Record<string, Handler> {
  return {
    suppressionsFind: suppressions.find.bind(suppressions),
    suppressionsChange: suppressions.change.bind(suppressions),
    suppressionsPage: suppressions.page.bind(suppressions),
    suppressionsEverything: suppressions.everything.bind(suppressions),
    suppressionsRestore: suppressions.restore.bind(suppressions),
  };
}
