/** Keyboard, accessibility as axe judges it, and screenshots to look at: light, dark, narrow, right to left (U2). */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type DemoPage, onDemoPage, screenshots, sendMentions } from './demo-page.ts';
import type { Surroundings } from './surroundings.ts';

const { source: axeSource } = createRequire(import.meta.url)('axe-core') as { source: string };
const ofChoices = [
  '#pause',
  '#quiet-from',
  '#quiet-zone',
  '#quiet-save',
  '#push-toggle',
  '#language',
  '#if-who',
  '#if-what',
];
const phone: BrowserContextOptions = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

interface Look {
  readonly name: string;
  readonly options: BrowserContextOptions;
  readonly dir?: 'rtl';
  /** Which part, where it is not the one that the page begins with. */
  readonly half?: 'app' | 'choices';
}

const looks: readonly Look[] = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'narrow', options: { ...phone, colorScheme: 'light' } },
  { name: 'narrow-app', options: { ...phone, colorScheme: 'dark' }, half: 'app' },
  { name: 'rtl', options: { colorScheme: 'light' }, dir: 'rtl' },
  { name: 'narrow-rtl', options: { ...phone, colorScheme: 'dark' }, dir: 'rtl' },
  { name: 'choices-light', options: { colorScheme: 'light' }, half: 'choices' },
  { name: 'choices-dark', options: { colorScheme: 'dark' }, half: 'choices' },
  { name: 'choices-narrow', options: { ...phone, colorScheme: 'light' }, half: 'choices' },
  { name: 'choices-rtl', options: { colorScheme: 'light' }, half: 'choices', dir: 'rtl' },
  { name: 'choices-narrow-rtl', options: { ...phone, colorScheme: 'dark' }, half: 'choices', dir: 'rtl' },
];

export function lookTests(around: Surroundings): void {
  test('the inbox works by keyboard alone', () =>
    onDemoPage(around, 'keys', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus', 'Hal', 'Ina']);
      await demo.waitForUnread('3');
      const { keyboard } = demo.page;
      const focusedText = () => demo.page.locator('.row:focus .row-text').textContent();
      const texts = await demo.texts();
      await keyboard.press('j');
      assert.equal(await focusedText(), texts[0]);
      await keyboard.press('j');
      await keyboard.press('j');
      await keyboard.press('k');
      assert.equal(await focusedText(), texts[1]);
      await keyboard.press('Enter');
      await demo.waitForUnread('2');
      await keyboard.press('u');
      await demo.waitForUnread('3');
      await keyboard.press('w');
      await demo.rows.nth(1).locator('.why li').first().waitFor();
      await keyboard.press('e');
      await demo.waitForRows(2);
      assert.equal(await focusedText(), texts[2], 'the focus went nowhere when its row left');
      // What somebody types is text, not commands.
      await demo.page.locator('.comment-form input').first().focus();
      await keyboard.type('eject');
      assert.equal(await demo.rows.count(), 2);
    }));

  test('Tab reaches everything, and always shows where it is', () =>
    onDemoPage(around, 'tabbing', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus']);
      await demo.waitForRows(1);
      const reached = await tabThrough(demo.page);
      await demo.page.locator('[data-half="choices"]').click();
      await demo.page.locator('#held:not(:empty)').waitFor();
      reached.push(...(await tabThrough(demo.page)));
      for (const wanted of ['#person', '#theme', '#replay-toggle', '#bell', '#tab-all', '#read-all', ...ofChoices]) {
        assert.ok(
          reached.some(({ id }) => `#${id}` === wanted),
          `${wanted} was not reached`,
        );
      }
      assert.ok(reached.some(({ text }) => text.includes('Gus')));
      assert.deepEqual(
        reached.filter(({ visible }) => !visible).map(({ id, text }) => id || text),
        [],
        'focus that cannot be seen',
      );
    }));

  test('news is told once, politely', () =>
    onDemoPage(around, 'polite', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus', 'Hal']);
      await demo.page.locator('#announcer', { hasText: '2 new notifications, 2 unread' }).waitFor();
      assert.equal(await demo.page.locator('[aria-live], [role="status"]').count(), 1);
      assert.equal(await demo.page.locator('#bell').getAttribute('aria-label'), 'Notifications, 2 unread');
    }));

  for (const look of looks) {
    test(`axe finds nothing serious, and nothing overflows: ${look.name}`, () =>
      onDemoPage(
        around,
        'look',
        async (demo) => {
          await prepare(demo, around);
          if (look.dir !== undefined) await demo.page.locator('#dir').click();
          if (look.half !== undefined) await demo.page.locator(`[data-half="${look.half}"]`).click();
          if (look.half === 'choices') await prepareChoices(demo, look.dir === 'rtl');
          await demo.page.locator('html').evaluate((root) => root.scrollTo(0, 0));
          await demo.page.mouse.move(1, 1);
          // The judges themselves add styles that the page's policy refuses: they come after this.
          demo.assertNoComplaints();
          mkdirSync(screenshots, { recursive: true });
          const fullPage = look.half === 'choices';
          await demo.page.screenshot({ path: `${screenshots}${look.name}.png`, fullPage });
          assert.deepEqual(await seriousViolations(demo.page), []);
          const widths = demo.page.locator('html').evaluate((root) => [root.scrollWidth, root.clientWidth]);
          const [scrollWidth, clientWidth] = await widths;
          assert.equal(scrollWidth, clientWidth, 'the page scrolls sideways');
        },
        {
          ...look.options,
          reducedMotion: 'reduce',
        },
      ));
  }
}

/** Fills the inbox of `look` the first time; later pages find it filled. */
async function prepare(demo: DemoPage, around: Surroundings): Promise<void> {
  await demo.page.locator('#feed[aria-busy="false"]').waitFor({ state: 'attached' });
  if ((await demo.rows.count()) > 0) return;
  await sendMentions(around.url, around.person('look'), ['Noor', 'Tomas']);
  await demo.press('like-all');
  await demo.row(/4 others liked/).waitFor();
  for (const name of ['Cy', 'Bo']) {
    await demo.actAs(name);
    await demo.towardsPerson('Follow');
    await demo.press('repost');
  }
  await demo.comment('Where was that? I want to go.');
  await demo.towardsPerson('Message');
  await demo.row(/Tomas/).locator('.row-text').click();
  await demo.waitForRows(7);
}

/** Quiet hours, somebody muted, an answer, and the rows in Arabic where the page runs from right to left. */
async function prepareChoices(demo: DemoPage, inArabic: boolean): Promise<void> {
  await demo.page.locator('#held:not(:empty)').waitFor();
  await demo.page.locator('#language').selectOption(inArabic ? 'ar' : 'en');
  await demo.page.locator(`#feed[lang="${inArabic ? 'ar' : 'en'}"]`).waitFor({ state: 'attached' });
  await demo.page.locator('#quiet-save').click();
  await demo.page.locator('#quiet-off').waitFor();
  await demo.page.locator('#if-form button').click();
  await demo.page.locator('.if-words').waitFor();
}

interface Reached {
  readonly id: string;
  readonly text: string;
  readonly visible: boolean;
}

async function tabThrough(page: Page): Promise<Reached[]> {
  const reached: Reached[] = [];
  const stopsMax = 80;
  for (let stop = 0; stop < stopsMax; stop++) {
    await page.keyboard.press('Tab');
    const focused = page.locator('body :focus');
    if ((await focused.count()) === 0) {
      // A part that the browser itself draws, such as the clock of a time field, has the focus inside its element.
      const inside = await page.locator('body').evaluate((body) => body.ownerDocument.activeElement !== body);
      if (!inside) return reached;
      continue;
    }
    const here = await focused.evaluate((element) => {
      const { getComputedStyle } = element.ownerDocument.defaultView;
      // Hidden radio buttons show their focus on the label around them or the word beside them.
      const shown = [element, element.closest('label'), element.nextElementSibling].filter((one) => one !== null);
      const visible = shown.some((one) => getComputedStyle(one).outlineStyle !== 'none');
      return { id: element.id, text: element.textContent.slice(0, 60), visible };
    });
    reached.push(here);
  }
  return reached;
}

async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}

interface AxeResults {
  readonly violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
}
