/** One person's inbox over the API, as far as the benches look at it. */
import type { NotificationPage } from '@carillon/contract/notification.ts';
import type { Static } from 'typebox';

export type Page = Static<typeof NotificationPage>;

export async function readPage(port: number, token: string, query: string): Promise<Page> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/notifications?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`the inbox answers ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return (await answer.json()) as Page;
}

/** All rows of a filter, newest first. */
export async function readAllRows(port: number, token: string, query: string): Promise<Page['items']> {
  const rows: Page['items'] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await readPage(port, token, `${query}&limit=100${at}`);
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

/** Waits until a person's newest page satisfies `isDone`: what was accepted is applied soon after. */
export async function untilPage(
  port: number,
  token: string,
  query: string,
  isDone: (page: Page) => boolean,
): Promise<Page> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const page = await readPage(port, token, query);
    if (isDone(page)) return page;
    if (performance.now() > deadline) throw new Error('the inbox does not catch up with what was accepted');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until everything that was accepted is applied, whoever it is for, as the service's own lag says. */
export async function untilApplied(port: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const lags = [...text.matchAll(/^carillon_lag_bytes\{[^}]*\} (\d+)$/gm)].map(([, bytes]) => Number(bytes));
    if (lags.length === 0) throw new Error('the service does not tell its lag');
    if (lags.every((bytes) => bytes === 0)) return;
    if (performance.now() > deadline) throw new Error('the service does not catch up with what was accepted');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
