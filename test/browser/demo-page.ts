/** The demo page as a person uses it: who clicks what, and what is to be seen. Waits for conditions, never for time. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Surroundings } from './surroundings.ts';

/** Where screenshots go, with a slash at the end. */
export const screenshots = fileURLToPath(new URL('../../var/screenshots/', import.meta.url));

export class DemoPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page wrote to its console as an error, and exceptions nobody caught. */
  readonly complaints: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** An empty tab in a browser profile of its own. */
  static async open(browser: Browser, options: BrowserContextOptions = {}): Promise<DemoPage> {
    const context = await browser.newContext({ viewport: { width: 1240, height: 860 }, ...options });
    context.setDefaultTimeout(10_000);
    return await DemoPage.openIn(context);
  }

  /** Another tab of the same profile. */
  static async openIn(context: BrowserContext): Promise<DemoPage> {
    return new DemoPage(context, await context.newPage());
  }

  /** Opens the page for `user` and waits until it is live. */
  async goTo(url: string, user: string): Promise<void> {
    await this.page.goto(`${url}/demo?user=${encodeURIComponent(user)}`);
    await this.waitForState('live');
  }

  close(): Promise<void> {
    return this.context.close();
  }

  waitForState(state: string): Promise<void> {
    return this.page.locator(`#connection[data-state="${state}"]`).waitFor();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.waitForState('live');
  }

  /** Opens the panel of preferences and waits until it shows what the server has. */
  async showChoices(): Promise<void> {
    await this.page.locator('[data-half="choices"]').click();
    await this.page.locator('#held:not(:empty)').waitFor();
  }

  /** Sets a switch of the table, and waits until the server has it. */
  async setSwitch(label: string, on: boolean): Promise<void> {
    const stored = this.page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await this.page.getByLabel(label).setChecked(on);
    const { status, url } = await stored.then((answer) => ({ status: answer.status(), url: answer.url() }));
    assert.equal(status, 200, url);
  }

  get rows(): Locator {
    return this.page.locator('#feed .row');
  }

  /** The row whose sentence matches. */
  row(text: RegExp): Locator {
    return this.rows.filter({ has: this.page.locator('.row-text', { hasText: text }) });
  }

  async actAs(name: string): Promise<void> {
    await this.page.locator('.person', { hasText: name }).click();
  }

  /** A button of the first post. */
  async press(name: 'like' | 'like-all' | 'repost' | 'reply' | 'remove'): Promise<void> {
    await this.page.locator('.post').first().locator(`.post-button.${name}`).click();
  }

  async comment(text: string): Promise<void> {
    const form = this.page.locator('.post').first().locator('.comment-form');
    await form.locator('input').fill(text);
    await form.locator('button').click();
  }

  async towardsPerson(text: 'Follow' | 'Following' | 'Mention' | 'Message'): Promise<void> {
    await this.page.locator('#to-person button', { hasText: text }).first().click();
  }

  /** Waits until the bell shows `count`. */
  async waitForUnread(count: string): Promise<void> {
    if (count === '0') await this.page.locator('#bell-count').waitFor({ state: 'hidden' });
    else await this.page.locator('#bell-count', { hasText: new RegExp(`^${RegExp.escape(count)}$`) }).waitFor();
  }

  async waitForRows(count: number): Promise<void> {
    const atLeast = count === 0 ? '' : `:has(> .row:nth-child(${count}))`;
    await this.page.locator(`#feed${atLeast}:not(:has(> .row:nth-child(${count + 1})))`).waitFor({ state: 'attached' });
  }

  async waitForNoUnreadRow(): Promise<void> {
    await this.page.locator('#feed:not(:has(.row.unread))').waitFor({ state: 'attached' });
  }

  texts(): Promise<string[]> {
    return this.page.locator('#feed .row-text').allTextContents();
  }

  assertNoComplaints(): void {
    assert.deepEqual(this.complaints, []);
  }
}

/** Runs `work` on a page of its own and closes it. What fails leaves a screenshot, and what the page complained of. */
export async function onDemoPage(
  around: Surroundings,
  name: string,
  work: (demo: DemoPage, user: string) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const user = around.person(name);
  const demo = await DemoPage.open(around.browser, options);
  try {
    await demo.goTo(around.url, user);
    await work(demo, user);
  } catch (error) {
    mkdirSync(screenshots, { recursive: true });
    await demo.page.screenshot({ path: `${screenshots}failed-${name}.png` });
    if (demo.complaints.length > 0) console.error(`The page of ${name} complained:\n${demo.complaints.join('\n')}`);
    throw error;
  } finally {
    await demo.close();
  }
}

/** Sends mentions of `user` by somebody else than the page, so that they arrive from outside. */
export async function sendMentions(url: string, user: string, names: readonly string[]): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const tokenAnswer = await fetch(`${url}/v1/dev/token`, { method: 'POST', headers: json, body: '{"source":"demo"}' });
  const { token } = (await tokenAnswer.json()) as { token: string };
  const events = names.map((name) => ({
    id: randomUUID(),
    source: 'demo',
    type: 'mention.created',
    time: new Date(performance.timeOrigin + performance.now()).toISOString(),
    actor: { id: `person-${name}`, name },
    object: { kind: 'post', id: randomUUID(), owner: `person-${name}`, title: `A post by ${name}` },
    to: { user },
  }));
  const headers = { ...json, authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(events) });
  const { results } = (await answer.json()) as { results: { status: string }[] };
  assert.deepEqual(new Set(results.map((result) => result.status)), new Set(['accepted']));
}
