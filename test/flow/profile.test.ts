/** What people and apps say of people, over restarts and by whichever process (A2, A3, A5). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { follow, like } from './events.ts';
import { eventually } from './eventually.ts';
import { type Answered, okay, type Person } from './person.ts';
import { World } from './world.ts';

const path = '/v1/notification-preferences';

describe('profiles of the whole service', () => {
  let world: World;
  before(async () => {
    world = await World.start({ where: 'process' });
  });
  after(() => world.close());

  const patch = (person: Person, etag: string, body: object): Promise<Answered> =>
    person.ask('PATCH', path, body, { 'if-match': etag });
  const etagOf = async (person: Person): Promise<string> =>
    (await person.ask('GET', path)).headers.get('etag') ?? assert.fail();

  test('A5: of two devices with the same version one writes, and the other loses nothing by reading again', async () => {
    const [phone, laptop] = [await world.person('pr1'), await world.person('pr1')];
    const etag = await etagOf(phone);
    const answers = await Promise.all([
      patch(phone, etag, { channels: { push: false } }),
      patch(laptop, etag, { categories: { reactions: { email: false } } }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412]);
    const isPhoneLate = answers[0]?.status === 412;
    const body = isPhoneLate ? { channels: { push: false } } : { categories: { reactions: { email: false } } };
    okay(await patch(isPhoneLate ? phone : laptop, await etagOf(phone), body));
    const { version: _, ...choices } = await laptop.get<{ version: number }>(path);
    assert.deepEqual(choices, { channels: { push: false }, categories: { reactions: { email: false } } });
  });

  test('choices, mutes and facts outlive a kill; an erased person has none, in this tenant only', async () => {
    const users = [await world.person('pr2'), await world.person('pr2', 't2')];
    for (const user of users) {
      okay(await patch(user, '*', { timeZone: 'asia/calcutta' }));
      okay(await user.ask('PUT', '/v1/mutes/word/Spoiler', {}));
    }
    okay(await world.producer().ask('PUT', '/v1/users/pr2', { email: 'pr2@example.org' }));
    await world.happen(like('a1', 'p1', 'pr2'), follow('pr2', 'famous'));
    await world.crash();
    const exported = () => world.producer().get<Record<string, unknown>>('/v1/users/pr2/export');
    const before = await exported();
    assert.equal((before.facts as { email: string }).email, 'pr2@example.org');
    assert.equal((before.preferences as { timeZone: string }).timeZone, 'Asia/Kolkata');
    assert.deepEqual(
      (before.mutes as { id: string }[]).map(({ id }) => id),
      ['spoiler'],
    );
    assert.equal((before.notifications as object[]).length, 1);
    const fans = () => world.producer().get<{ count: number }>('/v1/subscriptions/followers:famous');
    await eventually(async () => (await fans()).count === 1);
    assert.equal((await world.producer().ask('DELETE', '/v1/users/pr2')).status, 204);
    const { facts, preferences, mutes, notifications } = await exported();
    assert.deepEqual([facts, preferences, mutes, notifications], [null, null, [], []]);
    assert.deepEqual([await users[0]?.inbox(), await users[0]?.unread()], [[], 0]);
    assert.equal((await fans()).count, 0);
    await world.happen(like('a2', 'p2', 'pr2'));
    assert.deepEqual(
      (await users[0]?.inbox())?.map(({ object }) => object.id),
      ['p2'],
    );
    const other = await users[1]?.get<{ items: object[] }>('/v1/mutes');
    assert.equal(other?.items.length, 1);
  });

  test('an import of many people is there at once, for every process', async () => {
    const people = Array.from({ length: 300 }, (_, n) => ({ id: `im${n}`, locale: 'de' }));
    const { results } = okay<{ results: { status: string }[] }>(
      await world.producer().ask('POST', '/v1/users', people),
    );
    assert.ok(results.every(({ status }) => status === 'stored'));
    for (const id of ['im0', 'im150', 'im299']) {
      const { facts } = await world.producer().get<{ facts: { locale: string } }>(`/v1/users/${id}/export`);
      assert.equal(facts.locale, 'de');
    }
  });
});
