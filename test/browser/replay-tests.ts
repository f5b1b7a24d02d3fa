/** The page's own replay of the recorded trace, and an inbox under a flood. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onDemoPage } from './demo-page.ts';
import type { Surroundings } from './surroundings.ts';

export function replayTests(around: Surroundings): void {
  test('the page replays real traffic, and the inbox keeps up', () =>
    onDemoPage(around, '88', async (demo) => {
      await demo.page.locator('.speeds label', { hasText: 'max' }).click();
      await demo.page.locator('#replay-toggle').click();
      await demo.page.locator('#replay-toggle', { hasText: 'Stop' }).waitFor();
      await demo.page.locator('#replay-figures', { hasText: /^Done: [\d,]+ accepted/ }).waitFor({ timeout: 60_000 });
      const figures = (await demo.page.locator('#replay-figures').textContent()) ?? '';
      assert.doesNotMatch(figures, /rejected/);
      await demo.waitForUnread('99+');
      assert.equal(await demo.page.title(), '(99+) Carillon demo');
      const texts = await demo.texts();
      await demo.page.reload();
      await demo.waitForRows(20);
      assert.deepEqual((await demo.texts()).slice(0, 5), texts.slice(0, 5), 'live rows differ from stored ones');
      demo.assertNoComplaints();

      // The same ids again have no effect.
      await demo.page.locator('.speeds label', { hasText: 'max' }).click();
      await demo.page.locator('#replay-toggle').click();
      await demo.page
        .locator('#replay-figures', { hasText: /^Done: 0 accepted · 20,000 known already/ })
        .waitFor({ timeout: 60_000 });
    }));
}
