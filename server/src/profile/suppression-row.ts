/** A suppression as stores keep it: its address encrypted, beside it the blind index by which it is found (S4). */
import type { TenantId } from '../base/ids.ts';
import { normalAddress } from '../base/mailbox.ts';
import type { SecretBox, SecretPlace } from '../base/secret-box.ts';
import type { Suppression } from './suppression.ts';

/** What a store keeps under (tenant, index). */
export interface SuppressionRow extends Omit<Suppression, 'address'> {
  /** Empty where there is none. */
  readonly sealed: string;
}

export class SuppressionRows {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  indexOf(tenant: TenantId, address: string): string {
    return this.#box.indexOf('suppressedAddress', [tenant, normalAddress(address)]);
  }

  toRow(tenant: TenantId, { address, ...rest }: Suppression): SuppressionRow {
    return { ...rest, sealed: address === '' ? '' : this.#box.seal(address, placeOf(tenant)) };
  }

  /** Null: it is sealed by the current key already, or has no address. */
  reseal(tenant: TenantId, row: SuppressionRow): SuppressionRow | null {
    if (row.sealed === '' || this.#box.isCurrent(row.sealed)) return null;
    return this.toRow(tenant, this.toSuppression(tenant, row));
  }

  toSuppression(tenant: TenantId, { sealed, ...rest }: SuppressionRow): Suppression {
    return { ...rest, address: sealed === '' ? '' : this.#box.open(sealed, placeOf(tenant)) };
  }
}

function placeOf(tenant: TenantId): SecretPlace {
  return { purpose: 'suppressedAddress', owner: tenant };
}
