/** Suppressions in memory, for tests. */
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import { normalAddress } from '../base/mailbox.ts';
import { changeSuppression, type Suppression } from './suppression.ts';
import type {
  AddressChange,
  ChangedSuppression,
  StoredSuppression,
  StoredSuppressionPage,
  SuppressionPage,
  SuppressionStore,
} from './suppression-store.ts';

export class SuppressionStoreMemory implements SuppressionStore {
  readonly #clock: Clock;
  readonly #softBouncesMax: number;
  readonly #known = new Map<string, Suppression>();

  constructor(clock: Clock, softBouncesMax: number) {
    this.#clock = clock;
    this.#softBouncesMax = softBouncesMax;
  }

  async find(tenant: TenantId, addresses: readonly string[]): Promise<readonly (Suppression | null)[]> {
    return addresses.map((address) => this.#known.get(keyOf(tenant, address)) ?? null);
  }

  async change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    const rules = { softBouncesMax: this.#softBouncesMax, nowMs: this.#clock.now() };
    return changes.map(({ tenant, address, change }) => {
      const key = keyOf(tenant, address);
      const before = this.#known.get(key) ?? null;
      const suppression = changeSuppression(before, address, change, rules);
      if (suppression !== null) this.#known.set(key, suppression);
      return { suppression, hasNewReason: suppression?.reason !== before?.reason };
    });
  }

  async page(tenant: TenantId, after: string | null, max: number): Promise<SuppressionPage> {
    const found = [...this.#known]
      .filter(
        ([key, { reason }]) => key.startsWith(`${tenant}\n`) && reason !== null && (after === null || key > after),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, max);
    const items = found.map(([, suppression]) => suppression);
    return { items, next: found.length < max ? null : (found.at(-1)?.[0] ?? null) };
  }

  async everything(after: string | null, max: number): Promise<StoredSuppressionPage> {
    const found = [...this.#known]
      .filter(([key, { address }]) => address !== '' && (after === null || key > after))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, max);
    const items = found.map(([key, suppression]) => ({ tenant: key.split('\n')[0] as TenantId, suppression }));
    return { items, next: found.length < max ? null : (found.at(-1)?.[0] ?? null) };
  }

  async restore(suppressions: readonly StoredSuppression[]): Promise<void> {
    for (const { tenant, suppression } of suppressions)
      this.#known.set(keyOf(tenant, suppression.address), suppression);
  }
}

function keyOf(tenant: TenantId, address: string): string {
  return `${tenant}\n${normalAddress(address)}`;
}
