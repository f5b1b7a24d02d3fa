/** What came back of a mail that had been taken (V22): by webhook, or as a mail. */
import { defaultTenant, type TenantId } from '../../../base/ids.ts';

export interface FeedbackEvent {
  /**
   * `hard`: nobody is there. `soft`: nobody tries any more, though somebody may be there. `blocked`: a policy of the
   * receiver, our fault. `ignored`: says nothing about the address.
   */
  readonly kind: 'hard' | 'soft' | 'complaint' | 'blocked' | 'delivered' | 'ignored';
  readonly tenant: TenantId;
  readonly address: string;
  readonly atMs: number;
  /** The receiver's, without its words. */
  readonly code: string | null;
}

/** Of what a provider gives back as we gave it. Mail that names none is of the default one. */
export function tenantOf(given: unknown): TenantId {
  return typeof given === 'string' && given !== '' && given.length <= 128 ? (given as TenantId) : defaultTenant;
}

/** JSON of somebody else's, as far as it is an object. */
export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
