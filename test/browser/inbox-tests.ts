/** What a person sees in the demo's inbox, in a real browser against a real server (U2, V30, I3, I4, D5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DemoPage, onDemoPage, sendMentions } from './demo-page.ts';
import type { Surroundings } from './surroundings.ts';

export function inboxTests(around: Surroundings): void {
  test('likes of six people are one row that grows in place, and shrinks with an unlike', () =>
    onDemoPage(around, 'six', async (demo) => {
      await demo.actAs('Ana');
      await demo.press('like');
      const row = demo.rows.first();
      await demo.row(/^Ana liked your post/).waitFor();
      await row.evaluate((element) => element.setAttribute('data-test-same', 'yes'));
      await demo.press('like-all');
      await demo.row(/Fay, Eli and 4 others liked your post/).waitFor();
      assert.equal(await demo.rows.count(), 1);
      assert.equal(await row.getAttribute('data-test-same'), 'yes', 'the row was replaced instead of changed');
      await demo.waitForUnread('1');

      await demo.actAs('Fay');
      await demo.press('like');
      await demo.row(/Eli, Dee and 3 others liked your post/).waitFor();
      assert.equal(await row.getAttribute('data-test-same'), 'yes');
      for (const name of ['Ana', 'Bo', 'Cy', 'Dee', 'Eli']) {
        await demo.actAs(name);
        await demo.press('like');
      }
      await demo.waitForRows(0);
      await demo.waitForUnread('0');
      assert.match((await demo.page.locator('#states').textContent()) ?? '', /Nothing here yet/);
      demo.assertNoComplaints();
    }));

  test('the count is the number of unread rows, also after a reload, and in every tab of the list', () =>
    onDemoPage(around, 'counts', async (demo) => {
      await demo.actAs('Bo');
      await demo.press('like');
      await demo.press('repost');
      await demo.comment('Where was that? <b>Lovely</b>');
      await demo.towardsPerson('Mention');
      await demo.towardsPerson('Message');
      await demo.towardsPerson('Follow');
      await demo.press('reply');
      await demo.waitForRows(7);
      await demo.waitForUnread('7');
      assert.equal(await demo.page.locator('#feed .row.unread').count(), 7);
      assert.equal(
        await demo.page.locator('#feed .row b b, #posts .comment b b').count(),
        0,
        'markup of a user was run',
      );

      await demo.row(/liked/).locator('.row-text').click();
      await demo.waitForUnread('6');
      const texts = await demo.texts();
      await demo.page.reload();
      await demo.waitForState('live');
      await demo.waitForRows(7);
      assert.deepEqual(await demo.texts(), texts);
      await demo.waitForUnread('6');

      await demo.page.locator('#tab-unread').click();
      await demo.waitForRows(6);
      await demo.page.locator('#tab-all').click();
      await demo.waitForRows(7);
      await demo.page.locator('#read-all').click();
      await demo.waitForUnread('0');
      assert.equal(await demo.page.locator('#feed .row.unread').count(), 0);
      demo.assertNoComplaints();
    }));

  test('what happens while offline is there afterwards, once each', () =>
    onDemoPage(around, 'away', async (demo, user) => {
      await sendMentions(around.url, user, ['Before']);
      await demo.waitForRows(1);
      await demo.context.setOffline(true);
      await demo.waitForState('offline');
      await demo.page.locator('#banner').waitFor();
      const names = Array.from({ length: 18 }, (_, at) => `Person${at}`);
      await sendMentions(around.url, user, names);
      assert.equal(await demo.rows.count(), 1);
      await demo.context.setOffline(false);
      await demo.waitForState('live');
      await demo.waitForRows(19);
      await demo.waitForUnread('19');
      const people = (await demo.texts()).map((text) => /Person\d+|Before/.exec(text)?.[0]);
      assert.deepEqual(new Set(people), new Set([...names, 'Before']));
      await sendMentions(around.url, user, ['After']);
      await demo.waitForRows(20);
    }));

  test('reading in one tab shows in another', () =>
    onDemoPage(around, 'tabs', async (one, user) => {
      await sendMentions(around.url, user, ['Gus', 'Hal', 'Ina']);
      await one.waitForRows(3);
      const other = await DemoPage.openIn(one.context);
      await other.goTo(around.url, user);
      await other.waitForUnread('3');
      await one.row(/Hal/).locator('.row-text').click();
      await other.waitForUnread('2');
      assert.equal(await other.row(/Hal/).evaluate((row) => row.classList.contains('unread')), false);
      await other.page.locator('#read-all').click();
      await one.waitForUnread('0');
      await one.waitForNoUnreadRow();
    }));

  test('archiving moves a row away and can be taken back', () =>
    onDemoPage(around, 'archive', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus', 'Hal']);
      await demo.waitForRows(2);
      const row = demo.row(/Gus/);
      await row.hover();
      await row.locator('text=Archive').click();
      await demo.waitForRows(1);
      await demo.waitForUnread('1');
      await demo.page.locator('#undo button').click();
      await demo.waitForRows(2);
      await demo.waitForUnread('2');
      await row.hover();
      await row.locator('text=Archive').click();
      await demo.waitForRows(1);
      await demo.page.locator('#tab-archived').click();
      await demo.row(/Gus/).waitFor();
      demo.assertNoComplaints();
    }));

  test('a long list comes page by page, and news above a reader waits behind a pill', () =>
    onDemoPage(around, 'long', async (demo, user) => {
      await sendMentions(
        around.url,
        user,
        Array.from({ length: 45 }, (_, at) => `Person${at}`),
      );
      await demo.waitForUnread('45');
      await demo.page.reload();
      await demo.waitForRows(20);
      await demo.page.locator('#more').click();
      await demo.waitForRows(40);
      await demo.page.locator('#more').click();
      await demo.waitForRows(45);
      assert.equal(new Set(await demo.texts()).size, 45);
      await demo.page.locator('#more').waitFor({ state: 'hidden' });
      await demo.page.locator('#scroll').evaluate((list) => list.scrollTo({ top: 900 }));
      await sendMentions(around.url, user, ['Newest']);
      await demo.page.locator('#pill', { hasText: '1 new' }).click();
      assert.equal(await demo.page.locator('#scroll').evaluate((list) => list.scrollTop), 0);
      assert.match((await demo.texts())[0] ?? '', /Newest/);
    }));

  test('every row can say why it is there', () =>
    onDemoPage(around, 'why', async (demo, user) => {
      await sendMentions(around.url, user, ['Gus']);
      const row = demo.row(/Gus/);
      await row.hover();
      await row.locator('text=Why this?').click();
      await row.locator('.why li', { hasText: 'In the app' }).waitFor();
      assert.equal(await row.locator('[aria-expanded]').getAttribute('aria-expanded'), 'true');
    }));
}
