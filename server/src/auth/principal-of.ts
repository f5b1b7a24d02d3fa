/** From verified claims to a caller. Null for claims that name none: then the token proves nothing here. */
import type { JWTPayload } from 'jose';
import type { UserId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { OperatorPrincipal, Principal } from './principal.ts';
import type { TokenIssuer } from './token-issuer.ts';

const scopeNeeded = 'notifications';
const roles: readonly string[] = ['viewer', 'support', 'operator', 'admin'] satisfies OperatorPrincipal['role'][];

export function principalOf(claims: JWTPayload, issuer: TokenIssuer): Principal | null {
  const kind = claims.role !== undefined ? 'operator' : claims.sources !== undefined ? 'producer' : 'user';
  if (!issuer.kinds.includes(kind) || !isId(claims.sub)) return null;
  const { tenant } = issuer;
  const expiresAtMs = (claims.exp as number) * 1000;
  const caller = `token:${issuer.issuer}:${claims.sub}`;
  if (kind === 'operator') {
    if (!roles.includes(claims.role as string)) return null;
    return { kind, tenant, caller, role: claims.role as OperatorPrincipal['role'], expiresAtMs };
  }
  if (kind === 'producer') {
    const { sources } = claims;
    if (!Array.isArray(sources) || sources.length === 0 || !sources.every(isId)) return null;
    return { kind, tenant, caller, sources, expiresAtMs };
  }
  if (!mayNotify(claims)) return null;
  const session = claims.sid ?? claims.jti;
  return { kind, tenant, user: claims.sub as UserId, session: isId(session) ? session : null, expiresAtMs };
}

/** A token that lists its scopes must list ours [BC-67]. */
function mayNotify(claims: JWTPayload): boolean {
  const scope = claims.scope ?? claims.scp;
  if (scope === undefined) return true;
  const scopes = typeof scope === 'string' ? scope.split(' ') : scope;
  return Array.isArray(scopes) && scopes.includes(scopeNeeded);
}

function isId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= limits.idCharsMax &&
    value.isWellFormed() &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ids hold none, which keeps joined keys unambiguous.
    !/[\u0000-\u001f\u007f]/.test(value)
  );
}
