/**
 * Members from the app itself, page by page over HTTP (F2), where the app knows better than any copy who is behind an
 * audience. What it must answer is in docs/AUDIENCES.md.
 *
 * Each request is signed, so that the app can tell that it is ours. A page is bounded in time, bytes and members; one that
 * cannot be had, or makes no sense, is an error, and whoever reads goes on from the same cursor later: members are
 * neither guessed nor left out. 410 says that there is no such audience any more: it has no members.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type AudienceKey, splitAudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { AudiencePage } from './audience-page.ts';
import type { AudienceSource, Member, MemberPage } from './audience-source.ts';

export interface HttpSourceOptions {
  /** With `{audience}`, `{after}` and `{max}` where these go, each as one component of a URL. */
  readonly url: string;
  /** Signs requests. */
  readonly secret: string;
  readonly clock: Clock;
}

/** A page could not be had. `code` says why, and may be logged. */
export class AudienceUnavailable extends Error {
  override readonly name = 'AudienceUnavailable';
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`the app did not answer for an audience: ${code}`, { cause });
    this.code = code;
  }
}

export class AudienceSourceHttp implements AudienceSource {
  readonly #options: HttpSourceOptions;

  constructor(options: HttpSourceOptions) {
    this.#options = options;
  }

  async members(key: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    const { tenant, audience } = splitAudienceKey(key);
    const url = filled(this.#options.url, { audience, after: after ?? '', max: String(max) });
    for (let tries = 1; ; tries++) {
      try {
        return await this.#fetch(url, tenant, max);
      } catch (error) {
        const unavailable = error instanceof AudienceUnavailable ? error : new AudienceUnavailable('failed', error);
        if (tries === limits.audienceFetchTries || unavailable.code === 'malformed') throw unavailable;
        await this.#pause(limits.audienceFetchRetryMs * tries);
      }
    }
  }

  async #fetch(url: string, tenant: string, max: number): Promise<MemberPage> {
    const { clock, secret } = this.#options;
    const stop = new AbortController();
    const cancel = clock.after(limits.audienceFetchMs, () => stop.abort());
    try {
      const headers = { accept: 'application/json', ...signed({ url, tenant, secret, nowMs: clock.now() }) };
      const response = await fetch(url, { signal: stop.signal, redirect: 'error', headers });
      if (response.status === 410) {
        await response.body?.cancel();
        return { members: [], next: null };
      }
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new AudienceUnavailable(`status${response.status}`);
      }
      return await readPage(await boundedText(response), max);
    } catch (error) {
      throw stop.signal.aborted ? new AudienceUnavailable('timeout', error) : error;
    } finally {
      cancel();
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(ms, resolve);
    });
  }
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(audience|after|max)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
}

/**
 * `Carillon-Signature: t=<seconds>,v1=<hex>`: HMAC-SHA256 over time, tenant and the URL's path with its query, a line each.
 */
function signed({ url, tenant, secret, nowMs }: { url: string; tenant: string; secret: string; nowMs: number }) {
  const seconds = Math.floor(nowMs / 1000);
  const { pathname, search } = new URL(url);
  const mac = createHmac('sha256', secret).update(`${seconds}\n${tenant}\n${pathname}${search}`).digest('hex');
  return { 'carillon-tenant': tenant, 'carillon-signature': `t=${seconds},v1=${mac}` };
}

/** Stops reading where the app sends more than a page may have. */
async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > limits.audiencePageBytesMax) throw new AudienceUnavailable('malformed');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function readPage(text: string, max: number): Promise<MemberPage> {
  const page = await parsed(text);
  // More than asked for is taken as it is, within reason: the app's pages may have a size of their own.
  if (page.members.length > Math.max(max, limits.audiencePageMembersMax)) throw new AudienceUnavailable('malformed');
  const members = page.members.map(
    (member): Member =>
      typeof member === 'string'
        ? { user: member, notify: false }
        : { user: member.user, notify: member.notify ?? false },
  );
  if (!members.every(({ user }) => user.isWellFormed())) throw new AudienceUnavailable('malformed');
  return { members, next: page.next };
}

async function parsed(text: string): Promise<AudiencePage> {
  // What judges pages takes memory that others need not spend.
  const { isAudiencePage } = await import('./audience-page.ts');
  try {
    const page: unknown = JSON.parse(text);
    if (isAudiencePage(page)) return page;
  } catch {
    // Told below: the parser would quote the page.
  }
  throw new AudienceUnavailable('malformed');
}
