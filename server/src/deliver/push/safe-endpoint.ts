/**
 * Endpoints that browsers name, and so anybody could (S5): only https to the usual port of a public address, and if so
 * configured of known hosts. Every address that the name has now is looked at, and the connection goes to one of those, so
 * that a name which answers otherwise a moment later leads nowhere else.
 */
import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../base/public-address.ts';

export interface EndpointRule {
  /** `push.example`, `*.push.example` for all below it, `*` for any. */
  readonly hosts: readonly string[];
  /** For development: also what listens on this machine, and any port. */
  readonly isLocalAllowed: boolean;
}

const endpointCharsMax = 2048;

/** What is wrong with an endpoint, in words; null if nothing is. Asks nobody. */
export function endpointProblem(endpoint: string, { hosts, isLocalAllowed }: EndpointRule): string | null {
  const url = endpoint.length > endpointCharsMax ? null : URL.parse(endpoint);
  if (url === null) return 'is no URL';
  const host = hostOf(url);
  if (url.username !== '' || url.password !== '') return 'must not have a user';
  if (isLocalAllowed && isLocalName(host)) return null;
  if (url.protocol !== 'https:') return 'must be https';
  if (url.port !== '') return 'must have the usual port';
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'must be public';
  if (!hosts.some((pattern) => fits(host, pattern))) return 'is of no push service that is allowed';
  return null;
}

function fits(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Looks a name up and answers only if all of its addresses are public; `look` is the system's unless a test has its own. */
export function publicLookup({ isLocalAllowed }: EndpointRule, look: typeof lookUp = lookUp): LookupFunction {
  return (host, options, answer) => {
    look(host, { ...options, all: true }, (error, found) => {
      const isSafe =
        isLocalAllowed && isLocalName(host) ? true : found?.every(({ address }) => isPublicAddress(address));
      if (error !== null) answer(error, '');
      else if (!isSafe || found.length === 0) answer(notPublic(), '');
      else if (options.all === true) answer(null, found);
      else answer(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

function notPublic(): NodeJS.ErrnoException {
  return Object.assign(new Error('the endpoint is not public'), { code: 'notPublic' });
}
