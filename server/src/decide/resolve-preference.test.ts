/** Who decides whether a type may use a channel: examples, and every combination against an independent table. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Channel, channels } from '@carillon/contract/reasons.ts';
import {
  type ChannelPreferences,
  type PreferenceOrigin,
  preferenceReason,
  resolvePreference,
} from './resolve-preference.ts';

const like = {
  name: 'post.liked',
  category: 'reactions',
  critical: false,
  channels: { inApp: true, push: true, email: false },
};
const alert = { name: 'security.alert', category: 'security', critical: true, channels: like.channels };

const push = (choices: ChannelPreferences, type = like) => resolvePreference(choices, type, 'push');

describe('the most specific explicit choice wins', () => {
  it('nothing chosen: the catalogue', () => {
    assert.deepEqual(push({}), { isOn: true, origin: 'default' });
    assert.deepEqual(resolvePreference({}, like, 'email'), { isOn: false, origin: 'default' });
  });

  it('a type stands above its category, a category above the channel', () => {
    const choices = {
      channels: { push: true },
      categories: { reactions: { push: false } },
      types: { 'post.liked': { push: true } },
    };
    assert.deepEqual(push(choices), { isOn: true, origin: 'type' });
    assert.deepEqual(push({ ...choices, types: {} }), { isOn: false, origin: 'category' });
    assert.deepEqual(push({ channels: { push: false } }), { isOn: false, origin: 'channel' });
  });

  it('a choice for another channel, type or category says nothing', () => {
    const choices = { types: { 'post.liked': { email: true }, 'post.reacted': { push: false } } };
    assert.deepEqual(push(choices), { isOn: true, origin: 'default' });
    assert.deepEqual(push({ categories: { follows: { push: false } } }), { isOn: true, origin: 'default' });
  });

  it('a type added later follows the choices there are, not its default', () => {
    const later = { ...like, name: 'post.celebrated' };
    assert.deepEqual(push({ categories: { reactions: { push: false } } }, later), { isOn: false, origin: 'category' });
    assert.deepEqual(push({ channels: { push: false } }, later), { isOn: false, origin: 'channel' });
  });

  it('names of people are no properties of objects', () => {
    const type = { ...like, name: 'constructor', category: 'toString' };
    assert.deepEqual(push({ types: {}, categories: {} }, type), { isOn: true, origin: 'default' });
  });
});

describe('mute all', () => {
  it('silences also who has every channel on', () => {
    const choices = { muteAll: true, channels: { inApp: true, push: true, email: true } };
    assert.deepEqual(push(choices), { isOn: false, origin: 'muteAll' });
    assert.deepEqual(resolvePreference(choices, like, 'email'), { isOn: false, origin: 'muteAll' });
  });

  it('keeps the inbox', () => {
    assert.deepEqual(resolvePreference({ muteAll: true }, like, 'inApp'), { isOn: true, origin: 'default' });
  });

  it('leaves what was asked for by type or category', () => {
    assert.deepEqual(push({ muteAll: true, types: { 'post.liked': { push: true } } }), { isOn: true, origin: 'type' });
    assert.equal(push({ muteAll: true, categories: { reactions: { push: true } } }).origin, 'category');
  });
});

it('what is critical ignores every choice', () => {
  const choices = { muteAll: true, channels: { push: false }, types: { 'security.alert': { push: false } } };
  assert.deepEqual(push(choices, alert), { isOn: true, origin: 'critical' });
});

/** As the rule is read aloud, from the least to the most specific: each that speaks overrules what was said before. */
function oracle(world: World, channel: Channel): [boolean, PreferenceOrigin] {
  let answer: [boolean, PreferenceOrigin] = [world.byDefault, 'default'];
  if (world.channel !== null) answer = [world.channel, 'channel'];
  if (world.muteAll === true && channel !== 'inApp') answer = [false, 'muteAll'];
  if (world.category !== null) answer = [world.category, 'category'];
  if (world.type !== null) answer = [world.type, 'type'];
  if (world.critical) answer = [world.byDefault, 'critical'];
  return answer;
}

interface World {
  readonly byDefault: boolean;
  readonly critical: boolean;
  readonly muteAll: boolean | null;
  readonly channel: boolean | null;
  readonly category: boolean | null;
  readonly type: boolean | null;
}

function* worlds(): Generator<World> {
  const said = [null, true, false];
  for (const byDefault of [true, false])
    for (const critical of [true, false])
      for (const muteAll of said)
        for (const channel of said)
          for (const category of said)
            for (const type of said) yield { byDefault, critical, muteAll, channel, category, type };
}

const choice = (channel: Channel, value: boolean | null) => (value === null ? {} : { [channel]: value });

it('every combination of choices, on every channel, among choices for others', () => {
  let combinations = 0;
  for (const world of worlds()) {
    for (const channel of channels) {
      const others = Object.fromEntries(channels.filter((other) => other !== channel).map((other) => [other, false]));
      for (const noise of [{}, others]) {
        const choices: ChannelPreferences = {
          ...(world.muteAll === null ? {} : { muteAll: world.muteAll }),
          channels: { ...noise, ...choice(channel, world.channel) },
          categories: { reactions: { ...noise, ...choice(channel, world.category) }, other: others },
          types: { 'post.liked': { ...noise, ...choice(channel, world.type) }, 'post.reacted': others },
        };
        const type = {
          ...like,
          critical: world.critical,
          channels: { inApp: false, push: false, email: false, [channel]: world.byDefault },
        };
        const { isOn, origin } = resolvePreference(choices, type, channel);
        assert.deepEqual([isOn, origin], oracle(world, channel), JSON.stringify({ world, channel }));
        combinations++;
      }
    }
  }
  assert.equal(combinations, 2 * 2 * 3 ** 4 * 3 * 2);
});

it('every origin has its reason code', () => {
  const reasonOf = (origin: PreferenceOrigin) => preferenceReason({ isOn: true, origin });
  assert.deepEqual((['critical', 'type', 'category', 'muteAll', 'channel', 'default'] as const).map(reasonOf), [
    'critical',
    'preference',
    'categoryPreference',
    'muteAll',
    'preference',
    'default',
  ]);
});
