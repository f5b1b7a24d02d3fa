/**
 * Port: email addresses that get no mail, or not all (V22). One list for all providers, apart by tenant.
 *
 * Atomicity: each change is applied as one step to what is there, whoever else writes: no change is lost.
 * Durability: `change` resolves when the changes would survive the loss of the process (a cluster: of one machine).
 * Idempotency: the same change again has no effect (`changeSuppression`).
 * Secrecy: addresses are encrypted at rest and found again by a blind index (S4).
 */
import type { TenantId } from '../base/ids.ts';
import type { Suppression, SuppressionChange } from './suppression.ts';

export interface AddressChange {
  readonly tenant: TenantId;
  readonly address: string;
  readonly change: SuppressionChange;
}

export interface ChangedSuppression {
  /** Null: there is nothing against the address. */
  readonly suppression: Suppression | null;
  /** Whether the reason is another one than before. */
  readonly hasNewReason: boolean;
}

export interface SuppressionPage {
  readonly items: readonly Suppression[];
  /** Where the next page begins; null: this was the last. */
  readonly next: string | null;
}

export interface StoredSuppression {
  readonly tenant: TenantId;
  readonly suppression: Suppression;
}

export interface StoredSuppressionPage {
  readonly items: readonly StoredSuppression[];
  readonly next: string | null;
}

export interface SuppressionStore {
  /** In the order of the addresses; null for one with nothing against it. */
  find(tenant: TenantId, addresses: readonly string[]): Promise<readonly (Suppression | null)[]>;
  /** In the order of the changes, what became of each. */
  change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]>;
  /** Those with a reason, each once, in a stable order of the store's own. `after`: as `next` said. */
  page(tenant: TenantId, after: string | null, max: number): Promise<SuppressionPage>;
  /** Everything held against addresses of all tenants, as `page`: for moves. What was cleared is left out. */
  everything(after: string | null, max: number): Promise<StoredSuppressionPage>;
  /** Suppressions as another store had them. */
  restore(suppressions: readonly StoredSuppression[]): Promise<void>;
}
