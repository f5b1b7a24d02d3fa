/** Broadcasts in memory, for tests. */
import { type AudienceKey, type PersonKey, splitAudienceKey, type TenantId } from '../base/ids.ts';
import type { Broadcast, BroadcastStore, NumberedBroadcast } from './broadcast-store.ts';

export class BroadcastStoreMemory implements BroadcastStore {
  readonly #kept: (NumberedBroadcast & { readonly record: Buffer })[] = [];
  readonly #newest = new Map<TenantId, number>();
  readonly #through = new Map<PersonKey, number>();

  async keep(broadcast: Broadcast, record: Buffer): Promise<number> {
    const known = this.#kept.find(({ id }) => id === broadcast.id);
    if (known !== undefined) return known.number;
    const { tenant } = splitAudienceKey(broadcast.audience);
    const number = (this.#newest.get(tenant) ?? 0) + 1;
    this.#newest.set(tenant, number);
    this.#kept.push({ ...broadcast, number, record });
    return number;
  }

  async newest(tenant: TenantId): Promise<number> {
    return this.#newest.get(tenant) ?? 0;
  }

  async recent(tenant: TenantId, max: number): Promise<readonly NumberedBroadcast[]> {
    return this.#of(tenant).slice(-max).map(numbered);
  }

  async ofAudiences(
    audiences: readonly AudienceKey[],
    after: number,
    max: number,
  ): Promise<readonly NumberedBroadcast[]> {
    const found = this.#kept.filter(({ audience, number }) => audiences.includes(audience) && number > after);
    return found.slice(-max).map(numbered);
  }

  async records(tenant: TenantId, numbers: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    const found = this.#of(tenant).filter(({ number }) => numbers.includes(number));
    return new Map(found.map(({ number, record }) => [number, record]));
  }

  async through(people: readonly PersonKey[]): Promise<readonly number[]> {
    return people.map((person) => this.#through.get(person) ?? 0);
  }

  async advance(people: readonly PersonKey[], through: number): Promise<void> {
    for (const person of people) this.#through.set(person, Math.max(through, this.#through.get(person) ?? 0));
  }

  async prune(beforeMs: number): Promise<number> {
    const at = this.#kept.findIndex(({ acceptedMs }) => acceptedMs < beforeMs);
    if (at < 0) return 0;
    this.#kept.splice(at, 1);
    return 1;
  }

  #of(tenant: TenantId) {
    return this.#kept.filter(({ audience }) => splitAudienceKey(audience).tenant === tenant);
  }
}

function numbered({ id, audience, type, acceptedMs, number }: NumberedBroadcast): NumberedBroadcast {
  return { id, audience, type, acceptedMs, number };
}
