/**
 * Ids are branded strings, parsed once at the edge.
 * `PersonKey` names one person of one tenant everywhere inside: in caches, stores, shards and frames.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type TenantId = Branded<'TenantId'>;
export type UserId = Branded<'UserId'>;
export type NotificationId = Branded<'NotificationId'>;
/** `tenant + U+0001 + user`: ids hold no control characters, so it cannot be ambiguous. */
export type PersonKey = Branded<'PersonKey'>;
/** `tenant + U+0001 + audience`: the people behind one name, such as `followers:u1`. */
export type AudienceKey = Branded<'AudienceKey'>;
/** A revision of one person's inbox: greater is later, below 2^53. */
export type Revision = number;

const separator = '\u0001';

export const defaultTenant = 'default' as TenantId;

export function personKey(tenant: string, user: string): PersonKey {
  return `${tenant}${separator}${user}` as PersonKey;
}

export function splitPersonKey(person: PersonKey): { tenant: TenantId; user: UserId } {
  const at = person.indexOf(separator);
  return { tenant: person.slice(0, at) as TenantId, user: person.slice(at + 1) as UserId };
}

export function audienceKey(tenant: string, audience: string): AudienceKey {
  return `${tenant}${separator}${audience}` as AudienceKey;
}

export function splitAudienceKey(key: AudienceKey): { tenant: TenantId; audience: string } {
  const at = key.indexOf(separator);
  return { tenant: key.slice(0, at) as TenantId, audience: key.slice(at + 1) };
}
