/** A reply or comment that also mentions is told once, by the settings of both; so is a mention that an edit adds (BC-04, BC-05). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { TestPerson } from './test-person.ts';

const parent = { kind: 'post', id: 'p1' };
const thing = { object: { kind: 'comment', id: 'c1', parent } };
const off = { push: false, email: false };

/** Numbers of pushes and mails in the end; `apart`: each event is applied, and told of, before the next comes. */
async function toldOf(types: readonly string[], choices: PreferenceChoices, apart: boolean): Promise<number[]> {
  const one = await TestPerson.start();
  await one.choose(choices);
  for (const type of types) {
    if (apart) {
      await one.send(type, 'a1', 'comment:c1', thing);
      await one.pass(0);
      await one.restart();
    } else await one.sendTogether(types.map((each) => [each, 'a1', 'comment:c1', thing]));
    if (!apart) break;
  }
  await one.pass(3 * 24 * 3_600_000);
  assert.equal(await one.unread(), 1);
  assert.equal((await one.items()).filter(({ state }) => state === 'live')[0]?.mentioned, true);
  await one.stop();
  return [one.push.taken.length, one.email.taken.length];
}

for (const main of ['reply.created', 'comment.created']) {
  for (const types of [
    [main, 'mention.created'],
    ['mention.created', main],
  ]) {
    for (const apart of [true, false]) {
      const name = `${types.join(', then ')}, ${apart ? 'each by itself' : 'at once'}`;
      const [wanted, unwanted] = [
        [1, 1],
        [0, 0],
      ];
      test(`BC-04: ${name}: one push and one mail`, async () => {
        assert.deepEqual(await toldOf(types, {}, apart), wanted);
      });
      test(`BC-04: ${name}: as many where one of the two is off`, async () => {
        assert.deepEqual(await toldOf(types, { types: { [main]: off } }, apart), wanted);
        assert.deepEqual(await toldOf(types, { types: { 'mention.created': off } }, apart), wanted);
        assert.deepEqual(await toldOf(types, { types: { [main]: { push: false } } }, apart), wanted);
        assert.deepEqual(await toldOf(types, { types: { 'mention.created': { push: false } } }, apart), wanted);
      });
      test(`BC-04: ${name}: none where both are off`, async () => {
        assert.deepEqual(await toldOf(types, { types: { [main]: off, 'mention.created': off } }, apart), unwanted);
      });
    }
  }
}

test('BC-05: of a mention that edits add, take away and bring back there is one push, at the first', async () => {
  const one = await TestPerson.start();
  const edit = async (atSeconds: number, title: string, mentions: string[]): Promise<void> => {
    await one.until(new Date(Date.parse('2026-03-10T12:00:00Z') + atSeconds * 1000).toISOString());
    await one.send('comment.edited', 'a1', 'comment:c1', {
      object: { kind: 'comment', id: 'c1', title, parent },
      seq: atSeconds,
      data: { mentions },
    });
    await one.pass(0);
  };
  await edit(10, 'hi @r1', ['r1']);
  assert.equal(one.push.taken.length, 1);
  await edit(20, 'hi @r1!', ['r1']);
  await edit(30, 'hi', []);
  assert.equal(await one.unread(), 0);
  await edit(40, 'hi @r1', ['r1']);
  assert.equal(await one.unread(), 1);
  await one.send('comment.edited', 'a1', 'comment:c1', {
    object: { kind: 'comment', id: 'c1', image: 'https://a.test/b' },
  });
  await one.pass(600_000);
  assert.equal(one.push.taken.length, 1);
  await one.stop();
});
