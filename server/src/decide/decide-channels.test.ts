/** Which channel tells, when and why: examples, then every combination against a table in words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { type ChannelFacts, decideChannel, decideChannels, toChannelDecision } from './decide-channels.ts';
import { alertType, channelFacts, noonMs } from './test-channel-facts.ts';

const hour = 3600_000;
const minute = 60_000;

/** `kind reason`, with minutes from noon for what is held. */
function told(channel: 'inApp' | 'push' | 'email', facts: ChannelFacts): string {
  const { kind, reason, untilMs } = decideChannel(channel, facts);
  return `${kind} ${reason}${untilMs === null ? '' : ` +${(untilMs - noonMs) / minute}`}`;
}

describe('a person who has chosen nothing', () => {
  it('is told in the app and by push, and by email if it stays unseen', () => {
    const decisions = decideChannels(channelFacts()).map(toChannelDecision);
    assert.deepEqual(decisions, [
      { channel: 'inApp', kind: 'send', reason: 'default' },
      { channel: 'push', kind: 'send', reason: 'default' },
      { channel: 'email', kind: 'hold', reason: 'unseen', until: '2026-03-10T12:30:00.000Z' },
    ]);
  });

  it('is not pushed while looking at the app, except by types that insist', () => {
    assert.equal(told('push', channelFacts({ isPresent: true })), 'skip present');
    assert.equal(told('push', channelFacts({ isPresent: true, type: { pushAlways: true } })), 'send default');
    assert.equal(told('inApp', channelFacts({ isPresent: true })), 'send default');
  });

  it('is told that there is nowhere to send it', () => {
    const facts = channelFacts({ push: { endpoint: 'none' }, email: { endpoint: 'suppressed' } });
    assert.deepEqual([told('push', facts), told('email', facts)], ['skip noEndpoint', 'skip suppressed']);
  });
});

describe('quiet hours and pauses', () => {
  it('hold push and email, never the app (BC-22)', () => {
    const facts = channelFacts({ quietUntilMs: noonMs + hour, moment: 'fallback' });
    const all = [told('inApp', facts), told('push', facts), told('email', facts)];
    assert.deepEqual(all, ['send default', 'hold quietHours +60', 'hold quietHours +60']);
  });

  it('a pause holds until it is over, and not longer', () => {
    const paused = (untilMs: number) => channelFacts({ choices: { pausedUntil: new Date(untilMs).toISOString() } });
    assert.equal(told('push', paused(noonMs + 2 * hour)), 'hold paused +120');
    assert.equal(told('push', paused(noonMs)), 'send default');
    assert.equal(told('push', channelFacts({ choices: { pausedUntil: null } })), 'send default');
  });

  it('do not hold what is critical', () => {
    const choices = { pausedUntil: '2026-03-11T00:00:00Z', muteAll: true };
    const facts = channelFacts({ type: alertType, choices, quietUntilMs: noonMs + hour, isPresent: true });
    const all = [told('inApp', facts), told('push', facts), told('email', facts)];
    assert.deepEqual(all, ['send critical', 'send critical', 'send critical']);
  });
});

describe('email', () => {
  it('at once for types that say so, at the end of the wait for the others', () => {
    assert.equal(told('email', channelFacts({ type: { emailMode: 'immediate' } })), 'send default');
    assert.equal(told('email', channelFacts({ moment: 'fallback' })), 'send default');
  });

  it('a digest takes the place of every other mail but critical ones (BC-27)', () => {
    const withDigest = { digestAtMs: noonMs + 20 * hour };
    assert.equal(told('email', channelFacts(withDigest)), 'hold digest +1200');
    assert.equal(told('email', channelFacts({ ...withDigest, moment: 'fallback' })), 'hold digest +1200');
    assert.equal(told('email', channelFacts({ ...withDigest, type: { emailMode: 'immediate' } })), 'hold digest +1200');
    assert.equal(told('email', channelFacts({ ...withDigest, type: alertType })), 'send critical');
    assert.equal(told('email', channelFacts({ ...withDigest, moment: 'digest' })), 'send default');
  });

  it('of types for digests only is not sent to who has none', () => {
    assert.equal(told('email', channelFacts({ type: { emailMode: 'digest' } })), 'skip default');
  });

  it('switched off while a digest waits is not in it (BC-27)', () => {
    const facts = channelFacts({ moment: 'digest', choices: { channels: { email: false } } });
    assert.equal(told('email', facts), 'skip preference');
  });
});

describe('posts of authors whom a person asked to be pushed for', () => {
  const post = { type: { channels: { inApp: true, push: false, email: false } }, askedForPush: true };
  it('are pushed where nothing was chosen against it', () => {
    assert.equal(told('push', channelFacts({ ...post, askedForPush: false })), 'skip default');
    assert.equal(told('push', channelFacts(post)), 'send preference');
    assert.equal(told('push', channelFacts({ ...post, choices: { muteAll: true } })), 'skip muteAll');
    assert.equal(told('push', channelFacts({ ...post, choices: { channels: { push: false } } })), 'skip preference');
    assert.equal(told('email', channelFacts(post)), 'skip default');
  });
});

/** What is said of one event and person in words, each with the values it may have. */
const world = {
  verdict: ['accept', 'filter', 'drop'],
  choice: ['none', 'defaultOff', 'typeOff', 'typeOn', 'muteAll'],
  endpoint: ['ready', 'none', 'suppressed', 'criticalOnly'],
  expired: [false, true],
  critical: [false, true],
  emailMode: ['immediate', 'fallback', 'digest', 'off'],
  window: [false, true],
  present: [false, true],
  insists: [false, true],
  digest: [false, true],
  moment: ['now', 'fallback', 'digest'],
  paused: [false, true],
  quiet: [false, true],
  capped: [false, true],
} as const;

type World = { readonly [Name in keyof typeof world]: (typeof world)[Name][number] };

const names = Object.keys(world) as (keyof World)[];
const worldsCount = names.reduce((product, name) => product * world[name].length, 1);

/** The world of this number, each value a digit. */
function worldOf(number: number): World {
  const picked: Record<string, unknown> = {};
  let rest = number;
  for (const name of names) {
    const values: readonly unknown[] = world[name];
    picked[name] = values[rest % values.length];
    rest = Math.floor(rest / values.length);
  }
  return picked as World;
}

const choicesByWord: Record<World['choice'], PreferenceChoices> = {
  none: {},
  defaultOff: {},
  typeOff: { types: { 'comment.created': { push: false, email: false } } },
  typeOn: { types: { 'comment.created': { push: true, email: true } } },
  muteAll: { muteAll: true },
};

function factsOf(of: World): ChannelFacts {
  const isOn = of.choice !== 'defaultOff';
  const state = {
    endpoint: of.endpoint,
    windowEndsAtMs: of.window ? noonMs + 1 : null,
    cappedUntilMs: of.capped ? noonMs + 2 : null,
  };
  return channelFacts({
    verdict: { kind: of.verdict, reason: of.verdict === 'accept' ? 'default' : 'relation' },
    choices: { ...choicesByWord[of.choice], pausedUntil: of.paused ? '2026-03-10T18:00:00Z' : null },
    push: state,
    email: state,
    type: {
      critical: of.critical,
      pushAlways: of.insists,
      emailMode: of.emailMode,
      ttlMs: of.expired ? 5 : 6,
      channels: { inApp: true, push: isOn, email: isOn },
    },
    eventTimeMs: noonMs - 5,
    isPresent: of.present,
    digestAtMs: of.digest ? noonMs + 3 : null,
    quietUntilMs: of.quiet ? noonMs + 4 : null,
    moment: of.moment,
  });
}

/** Every line that is true of the world speaks; the first line of the page wins. */
function expected(channel: 'push' | 'email', of: World): string {
  const isMail = channel === 'email';
  const makingDigest = of.moment === 'digest';
  const explicit = of.choice === 'typeOn' ? 'preference' : 'default';
  const page: [boolean, string][] = [
    [of.verdict !== 'accept', 'skip relation'],
    [of.choice === 'defaultOff', of.critical ? 'skip critical' : 'skip default'],
    [of.choice === 'typeOff' && !of.critical, 'skip preference'],
    [of.choice === 'muteAll' && !of.critical, 'skip muteAll'],
    [of.endpoint === 'none', 'skip noEndpoint'],
    [of.endpoint === 'suppressed', 'skip suppressed'],
    [of.endpoint === 'criticalOnly' && !of.critical, 'skip suppressed'],
    [of.expired && !makingDigest, 'skip expired'],
    [of.critical, 'send critical'],
    [isMail && of.emailMode === 'off', 'skip default'],
    [isMail && of.emailMode === 'digest' && !of.digest && !makingDigest, 'skip default'],
    [of.window, 'hold window'],
    [!isMail && of.present && !of.insists, 'skip present'],
    [isMail && of.digest && !makingDigest, 'hold digest'],
    [isMail && of.emailMode === 'fallback' && of.moment === 'now', 'hold unseen'],
    [of.paused, 'hold paused'],
    [of.quiet && !makingDigest, 'hold quietHours'],
    [of.capped && !makingDigest, 'hold cap'],
  ];
  return page.find(([isTrue]) => isTrue)?.[1] ?? `send ${explicit}`;
}

it('every combination of all of this, on push and email', () => {
  for (let number = 0; number < worldsCount; number++) {
    const of = worldOf(number);
    const facts = factsOf(of);
    for (const channel of ['push', 'email'] as const) {
      const { kind, reason, untilMs } = decideChannel(channel, facts);
      if (`${kind} ${reason}` !== expected(channel, of)) {
        assert.equal(`${kind} ${reason}`, expected(channel, of), JSON.stringify({ channel, ...of }));
      }
      if ((kind === 'hold') !== (untilMs !== null)) assert.fail(`${kind} until ${untilMs}`);
      if (untilMs !== null && untilMs <= noonMs) assert.fail(`held until ${untilMs}, which is over`);
    }
  }
  assert.equal(worldsCount, 3 * 5 * 4 * 4 * 3 * 2 ** 9);
});

it('the app: dropped, switched off, or shown, whatever the hour', () => {
  for (let number = 0; number < worldsCount; number += 7) {
    const of = worldOf(number);
    const facts = factsOf(of);
    const shown = of.critical ? 'send critical' : 'send default';
    const reason = { accept: shown, filter: 'send relation', drop: 'skip relation' }[of.verdict];
    const { kind, reason: why } = decideChannel('inApp', facts);
    if (`${kind} ${why}` !== reason) assert.equal(`${kind} ${why}`, reason, JSON.stringify(of));
  }
  const off = channelFacts({ choices: { categories: { comments: { inApp: false } } } });
  assert.equal(told('inApp', off), 'skip categoryPreference');
});

it('a row that tells of two types goes by the settings of both: on for one is on (BC-04)', () => {
  const { type } = channelFacts();
  const also = { ...type, name: 'mention.created', category: 'mentions' };
  for (const [main, other, expected] of [
    [true, true, 'send preference'],
    [true, false, 'send preference'],
    [false, true, 'send preference'],
    [false, false, 'skip preference'],
  ] as const) {
    const choices = { types: { [type.name]: { push: main }, 'mention.created': { push: other } } };
    assert.equal(told('push', channelFacts({ choices, also })), expected);
  }
});
