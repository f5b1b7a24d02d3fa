/** One page of a list, with an RFC 8288 link to the next that keeps the request's own filters. */
import type { Answer } from './operation.ts';

/** `nextCursor` is null on the last page, which has no link. */
export function pageAnswer(page: { readonly nextCursor: string | null }, path: string, query: object): Answer {
  if (page.nextCursor === null) return { status: 200, body: page };
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) next.set(name, String(value));
  next.set('cursor', page.nextCursor);
  return { status: 200, headers: { link: `<${path}?${next}>; rel="next"` }, body: page };
}
