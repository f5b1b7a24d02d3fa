/** What people choose and mute decides what reaches them, by whichever process, and operators can ask beforehand (D2, D3, D12). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWebSocket } from '../../server/src/deliver/realtime/stream-clients.contract.ts';
import { event, like } from './events.ts';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { okay, Person } from './person.ts';
import { World } from './world.ts';

const path = '/v1/notification-preferences';

interface Simulated {
  readonly recipients: readonly {
    readonly user: string;
    readonly tells: boolean;
    readonly reason: string;
    readonly decisions: readonly { readonly channel: string; readonly kind: string; readonly text: string }[];
  }[];
}

describe('what people want, in the whole service', () => {
  let world: World;
  let operator: Person;
  before(async () => {
    world = await World.start();
    operator = new Person(world, operatorsKey);
  });
  after(() => world.close());

  const simulate = async (body: object): Promise<Simulated['recipients'][number]> => {
    const { recipients } = okay<Simulated>(await operator.ask('POST', '/v1/admin/simulate', body));
    return recipients[0] ?? assert.fail();
  };
  const choose = async (person: Person, choices: object): Promise<void> => {
    okay(await person.ask('PATCH', path, choices, { 'if-match': '*' }));
  };
  /** Likes by one actor of ever new posts, until `isDone` says that a change has reached the shard. */
  const untilNoLongerShown = async (person: Person, actor: string, user: string): Promise<void> => {
    let posts = 0;
    await eventually(async () => {
      const post = `${actor}-post-${++posts}`;
      await world.happen(like(actor, post, user));
      return !(await person.inbox()).some(({ object }) => object.id === post);
    });
  };

  test('BC-29: a mute by one process holds for what another takes, for list, count and stream', async () => {
    const person = await world.person('wi1');
    await world.happen(like('a4', 'p0', 'wi1'));
    assert.equal(await person.unread(), 1);
    okay(await person.ask('PUT', '/v1/mutes/actor/a4', {}));
    await untilNoLongerShown(person, 'a4', 'wi1');
    const stream = await person.open(openWebSocket);
    const before = await person.unread();
    await world.happen(like('a4', 'late', 'wi1'), like('a5', 'other', 'wi1'));
    assert.equal(await person.unread(), before + 1);
    const streamed = () => JSON.stringify(stream.frames);
    await eventually(() => streamed().includes('"other"'));
    assert.ok(!streamed().includes('"late"'));
    stream.kill();
    const { reason, tells, decisions } = await simulate(like('a4', 'again', 'wi1'));
    assert.deepEqual([reason, tells], ['mutedActor', false]);
    assert.ok(decisions.every(({ kind, text }) => kind === 'skip' && text !== ''));
  });

  test('a type that is off in the app leaves no row; what would happen is told in the person’s language', async () => {
    const person = await world.person('wi2');
    await choose(person, { types: { 'post.liked': { inApp: false } }, locale: 'de' });
    await untilNoLongerShown(person, 'b1', 'wi2');
    const liked = await simulate(like('b1', 'p1', 'wi2'));
    assert.deepEqual([liked.reason, liked.tells], ['preference', false]);
    const followed = await simulate(
      event('user.followed', { actor: { id: 'b1' }, object: { kind: 'user', id: 'wi2' }, to: { user: 'wi2' } }),
    );
    assert.deepEqual([followed.reason, followed.tells], ['default', true]);
    const inApp = followed.decisions.find(({ channel }) => channel === 'inApp');
    assert.match(inApp?.text ?? '', /Standard|Einstellung/);
    assert.deepEqual(
      (await person.inbox()).filter(({ type }) => type === 'user.followed'),
      [],
      'asking stores nothing',
    );
  });

  test('why nothing came is told to operators, of each event by its id, from whichever process', async () => {
    const person = await world.person('wi4');
    okay(await person.ask('PUT', '/v1/mutes/actor/c1', {}));
    await untilNoLongerShown(person, 'c1', 'wi4');
    await world.happen(
      like('c1', 'muted', 'wi4', { id: 'muted-like' }),
      like('c2', 'shown', 'wi4', { id: 'shown-like' }),
    );
    interface Decisions {
      readonly items: readonly {
        readonly event: { readonly id: string; readonly type: string };
        readonly notification: string | null;
        readonly decisions: readonly { readonly channel: string; readonly reason: string; readonly text: string }[];
      }[];
    }
    const of = async (event: string) => {
      const answer = await operator.ask('GET', `/v1/admin/decisions?user=wi4&event=${event}`);
      return okay<Decisions>(answer).items.map((item) => [
        item.event.id,
        item.notification !== null,
        item.decisions[0]?.reason,
      ]);
    };
    assert.deepEqual(await of('muted-like'), [['muted-like', false, 'mutedActor']]);
    assert.deepEqual(await of('shown-like'), [['shown-like', true, 'default']]);
    assert.deepEqual(await of('never-was'), []);
    assert.equal((await person.ask('GET', '/v1/admin/decisions?user=wi4')).status, 403);
  });

  test('what would happen is for operators only, for people by name, and says what is wrong with an event', async () => {
    const person = await world.person('wi3');
    assert.equal((await person.ask('POST', '/v1/admin/simulate', like('a', 'p', 'wi3'))).status, 403);
    const wrong = await operator.ask('POST', '/v1/admin/simulate', { ...like('a', 'p', 'wi3'), type: 'post.likd' });
    assert.deepEqual([wrong.status, JSON.parse(wrong.text).code], [400, 'CARILLON_EVENT_TYPE_UNKNOWN']);
    const many = await operator.ask('POST', '/v1/admin/simulate', {
      ...like('a', 'p', 'x'),
      to: { audience: 'followers:x' },
    });
    assert.match(JSON.parse(many.text).detail, /audience/);
  });
});
