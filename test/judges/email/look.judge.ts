/**
 * Mails, and the pages behind their links, in a real browser: axe finds nothing serious, nothing overflows a phone, in
 * light and dark and from right to left. Pictures to look at lie in var/judges/mail.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { root } from '../../../scripts/setup.mjs';
import { preferencesPage } from '../../../server/src/api/email-preferences-page.ts';
import { deadLink } from '../../../server/src/api/mail-page.ts';
import { unsubscribedPage } from '../../../server/src/api/show-unsubscribe.ts';
import { personKey } from '../../../server/src/base/ids.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { builtInContent } from '../../../server/src/content/live-content.ts';
import { composeEmail, type Letter } from '../../../server/src/deliver/email/compose-email.ts';
import { EmailSecrets } from '../../../server/src/deliver/email/email-secrets.ts';
import { ProfileStoreMemory } from '../../../server/src/profile/profile-store-memory.ts';
import { chromiumMissing, findChromium, launchChromium } from '../../browser/chromium.ts';

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const { source: axeSource } = createRequire(import.meta.url)('axe-core') as { source: string };
const pictures = join(root, 'var/judges/mail');
const secrets = new EmailSecrets('s'.repeat(32));
const person = personKey('default', 'r1');
const content = builtInContent.current;

let browser: Browser;
before(async () => {
  const path = findChromium();
  assert.ok(path !== null, chromiumMissing);
  mkdirSync(pictures, { recursive: true });
  browser = await launchChromium(path);
});
after(() => browser.close());

function words(
  locale: string,
  title = 'My trip to a place with averyveryverylongnamewithoutanyspaceinitatallwhichmustbreak',
) {
  const object = { kind: 'post', id: 'p1', title, url: '/p/p1', parent: null };
  const actors = [
    { id: 'a1', name: 'Ana' },
    { id: 'a2', name: 'Bo' },
  ];
  return content.email(
    { type: 'post.liked', actors, actorCount: 7, object, mentioned: false },
    locale,
    'https://app.example',
  );
}

function mail(letter: Letter): string {
  const from = { name: 'Trips', address: 'notify@app.example' };
  const publicUrl = 'https://notify.app.example';
  const options = { from, senderName: 'Trips', postalAddress: '1 Main Street, Springfield', publicUrl, secrets };
  return composeEmail(letter, { person, address: 'bo@people.example', delivery: 'd1' }, options).html;
}

const single = (locale: string): string =>
  mail({
    kind: 'notification',
    text: words(locale),
    type: 'post.liked',
    category: 'reactions',
    isCritical: false,
    thread: 'g',
  });
const digest = (locale: string): string =>
  mail({
    kind: 'digest',
    frame: content.digest(5, locale, 'https://app.example'),
    entries: Array.from({ length: 5 }, (_, at) => words(locale, `Trip ${at}`)),
  });

function page(locale: string, make: typeof preferencesPage | typeof unsubscribedPage): string {
  const clock = new VirtualClock();
  const parts = {
    profiles: new ProfileStoreMemory(clock),
    types: builtInContent,
    content: builtInContent,
    secrets,
    clock,
  };
  const link = {
    person,
    scope: 'reactions',
    choices: { categories: { reactions: { email: false } } },
    words: content.words.in(locale),
  };
  return String(make(parts, link, true).body);
}

const looks: Readonly<Record<string, (locale: string) => string>> = {
  single,
  digest,
  preferences: (locale) => page(locale, preferencesPage),
  unsubscribed: (locale) => page(locale, unsubscribedPage),
  dead: (locale) => String(deadLink(content.words.in(locale)).body),
};

for (const [name, html] of Object.entries(looks)) {
  for (const locale of ['en', 'ar', 'de']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`V20, V21: ${name}, ${locale}, ${colorScheme}`, async () => {
        const shown = await browser.newPage({ colorScheme, viewport: { width: 360, height: 740 } });
        try {
          await shown.setContent(html(locale));
          await shown.screenshot({ path: join(pictures, `${name}-${locale}-${colorScheme}.png`), fullPage: true });
          assert.deepEqual(await serious(shown), []);
          const overflow = await shown.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.equal(overflow, 0, 'wider than a phone');
        } finally {
          await shown.close();
        }
      });
    }
  }
}

async function serious(shown: Page): Promise<string[]> {
  await shown.evaluate(axeSource);
  const { violations } = (await shown.evaluate('axe.run()')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
}
