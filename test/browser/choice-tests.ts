/** What a person can choose on the demo page, and that it holds for what comes next (U2, D2, D3, D7, D12, C2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DemoPage, onDemoPage, sendMentions } from './demo-page.ts';
import type { Surroundings } from './surroundings.ts';

export function choiceTests(around: Surroundings): void {
  test('a pause says in words until when, outlives a reload, and ends with a press', () =>
    onDemoPage(around, 'pause', async (demo) => {
      await demo.showChoices();
      const held = (words: RegExp) => demo.page.locator('#held', { hasText: words }).waitFor();
      await held(/^Nothing is held back: push and email leave as soon as they are due\.$/);
      await demo.page.locator('#pause').click();
      await held(/^Held back for now\. What waits is delivered (today|tomorrow) at \d\d:\d\d\. Times are those of /);
      await demo.reload();
      await demo.showChoices();
      await held(/^Held back/);
      await demo.page.locator('#pause[aria-pressed="true"]', { hasText: 'Resume now' }).click();
      await held(/^Nothing is held back:/);
      demo.assertNoComplaints();
    }));

  test('quiet hours begin and end on the clocks of the person', () =>
    onDemoPage(
      around,
      'quiet',
      async (demo) => {
        await demo.page.clock.setFixedTime('2026-03-10T12:00:00Z');
        await demo.reload();
        await demo.showChoices();
        assert.equal(await demo.page.locator('#quiet-zone').inputValue(), 'Asia/Tokyo');
        await demo.page.locator('#quiet-from').fill('22:30');
        await demo.page.locator('#quiet-to').fill('07:15');
        await demo.page.locator('#quiet-save').click();
        const words =
          'Nothing is held back now. Quiet begins today at 22:30; what comes then is delivered tomorrow at 07:15. ' +
          'Times are those of Asia/Tokyo.';
        await demo.page.locator('#held', { hasText: words }).waitFor();
        await demo.page.locator('#quiet-to').fill('22:30');
        await demo.page.locator('#quiet-save').click();
        await demo.page.locator('#choices-error', { hasText: /^Not changed: / }).waitFor();
        await demo.page.locator('#held', { hasText: words }).waitFor();
        assert.equal(await demo.page.locator('#quiet-to').inputValue(), '22:30', 'what was refused is gone');
        await demo.page.locator('#quiet-off').click();
        await demo.page.locator('#held', { hasText: /^Nothing is held back:/ }).waitFor();
        assert.equal(await demo.page.locator('#quiet-save').evaluate((save) => save.matches(':focus')), true);
      },
      { timezoneId: 'Asia/Tokyo' },
    ));

  test('a switch holds for what comes next, and the defaults come back', () =>
    onDemoPage(around, 'switches', async (demo, user) => {
      await demo.showChoices();
      await demo.setSwitch('Mentions: In the app', false);
      await demo.reload();
      await demo.showChoices();
      await demo.page.locator('[aria-label="Mentions: In the app"]:not(:checked)').waitFor();
      assert.equal(await demo.page.getByLabel('Security: Push').isDisabled(), true);
      await sendMentions(around.url, user, ['Gus']);
      await demo.page.locator('[data-half="app"]').click();
      await demo.towardsPerson('Message');
      await demo.row(/message/).waitFor();
      assert.equal(await demo.rows.count(), 1, 'what was switched off is there');
      await demo.showChoices();
      await demo.page.locator('#switches-default').click();
      await demo.page.locator('[aria-label="Mentions: In the app"]:checked').waitFor();
      await sendMentions(around.url, user, ['Hal']);
      await demo.row(/Hal/).waitFor();
      demo.assertNoComplaints();
    }));

  test('the rows speak the language that was chosen, those that come live too', () =>
    onDemoPage(around, 'language', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus']);
      await demo.row(/Gus mentioned you/).waitFor();
      await demo.showChoices();
      await demo.page.locator('#language').selectOption('ar');
      await demo.page.locator('#feed[dir="rtl"][lang="ar"]').waitFor();
      await demo.row(/[\u0600-\u06ff]{3}/).waitFor();
      await sendMentions(around.url, user, ['Hal']);
      await demo.row(/[\u0600-\u06ff]{3}.*Hal|Hal.*[\u0600-\u06ff]{3}/).waitFor();
      assert.equal(await demo.rows.count(), 2);
      await demo.page.locator('#language').selectOption('');
      await demo.row(/Hal mentioned you/).waitFor();
      assert.equal(await demo.page.locator('#feed').getAttribute('dir'), null);
      demo.assertNoComplaints();
    }));

  test('who is muted is not heard of until unmuted, by undo or in the list', () =>
    onDemoPage(around, 'mutes', async (demo) => {
      await demo.actAs('Ana');
      await demo.towardsPerson('Mention');
      await demo.row(/Ana/).waitFor();
      await demo.rows.first().hover();
      await demo.rows.first().locator('text=Mute Ana').click();
      await demo.page.locator('#undo', { hasText: 'Ana is muted' }).waitFor();
      await demo.rows.first().locator('text=Unmute Ana').waitFor();
      await demo.towardsPerson('Mention');
      await demo.actAs('Bo');
      await demo.towardsPerson('Mention');
      await demo.row(/Bo/).waitFor();
      assert.equal(await demo.rows.count(), 2, 'a muted person was heard of');
      await demo.showChoices();
      await demo.page.getByRole('button', { name: 'Unmute Ana' }).and(demo.page.locator('#muted button')).click();
      await demo.page.locator('#muted', { hasText: 'Nobody' }).waitFor();
      assert.equal(await demo.page.locator('#muted-title').evaluate((title) => title.matches(':focus')), true);
      await demo.page.locator('[data-half="app"]').click();
      await demo.actAs('Ana');
      await demo.towardsPerson('Mention');
      await demo.waitForRows(3);
      demo.assertNoComplaints();
    }));

  test('what if is answered in words, follows the choices, and leaves nothing behind', () =>
    onDemoPage(around, 'what-if', async (demo, user) => {
      await demo.showChoices();
      await askWhatIf(demo, 'Cy', 'likes a post');
      await demo.page.locator('.if-words', { hasText: `User ${user} would be told.` }).waitFor();
      assert.equal(await demo.page.locator('#if-answer li').count(), 3);
      await demo.setSwitch('Reactions: In the app', false);
      await demo.page.locator('#if-answer li[data-kind="skip"]', { hasText: 'In the app' }).waitFor();
      for (const what of [
        'comments on a post',
        'mentions them',
        'follows them',
        'sends a message',
        'signs in as them',
      ]) {
        await askWhatIf(demo, 'Dee', what);
        await demo.page.locator('#if-answer li[data-kind="send"]', { hasText: 'In the app' }).waitFor();
      }
      await demo.reload();
      await demo.waitForRows(0);
      demo.assertNoComplaints();
    }));
}

/** Waits for the answer that takes the place of the one before. */
async function askWhatIf(demo: DemoPage, who: string, what: string): Promise<void> {
  const label = (await demo.page.locator('#if-what option', { hasText: what }).textContent()) ?? '';
  await demo.page.locator('#if-who').selectOption({ label: who });
  await demo.page.locator('#if-what').selectOption({ label });
  const before = await demo.page
    .locator('.if-words')
    .elementHandle({ timeout: 1 })
    .catch(() => null);
  await demo.page.locator('#if-form button').click();
  await demo.page.locator('.if-words').waitFor();
  if (before !== null) await before.waitForElementState('hidden');
}
