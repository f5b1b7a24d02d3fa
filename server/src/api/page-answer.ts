/** One page of a list, with an RFC 8288 link to the next that keeps the request's own filters. */
import type { Answer } from './operation.ts';

export function pageAnswer(page: { readonly nextCursor: string | null }, path: string, query: object): Answer {
  return { status: 200, headers: nextLink(page.nextCursor, path, query), body: page };
}

/** `nextCursor` is null on the last page, which has no link. */
export function nextLink(nextCursor: string | null, path: string, query: object): Record<string, string> {
  if (nextCursor === null) return {};
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) next.set(name, String(value));
  next.set('cursor', nextCursor);
  return { link: `<${path}?${next}>; rel="next"` };
}
