/** What became of a person, a row or a choice since something was decided stops it in time (D11). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChannelFacts, decideChannel } from './decide-channels.ts';
import { type ItemFacts, lastCheck } from './last-check.ts';
import { alertType, channelFacts, noonMs } from './test-channel-facts.ts';

const fresh: ItemFacts = {
  isErased: false,
  isSuspended: false,
  isGone: false,
  isAccessLost: false,
  isRead: false,
  isSeen: false,
};

const check = (item: Partial<ItemFacts>, facts: ChannelFacts = channelFacts(), channel: 'push' | 'email' = 'push') => {
  const { kind, reason } = lastCheck(channel, { ...fresh, ...item }, facts);
  return `${kind} ${reason}`;
};

describe('the last check', () => {
  it('sends what nothing has happened to', () => {
    assert.equal(check({}), 'send default');
  });

  it('preferences that changed while it waited count (BC-27)', () => {
    const off = { channels: { email: false } };
    const waiting = (choices: ChannelFacts['choices']) => channelFacts({ choices, moment: 'digest' });
    assert.equal(check({}, waiting(off), 'email'), 'skip preference');
    assert.equal(check({}, waiting({}), 'email'), 'send default', 'off and on again');
    const retrying = channelFacts({ type: { emailMode: 'immediate' }, digestAtMs: noonMs + 1 });
    assert.equal(check({}, retrying, 'email'), 'hold digest', 'switched to a digest');
  });

  it('what is seen meanwhile is not mailed for being unseen, but still pushed', () => {
    const fallback = channelFacts({ moment: 'fallback' });
    assert.equal(check({ isSeen: true }, fallback, 'email'), 'skip read');
    assert.equal(check({}, fallback, 'email'), 'send default');
    assert.equal(check({ isSeen: true }, channelFacts({ moment: 'digest' }), 'email'), 'send default');
    assert.equal(check({ isSeen: true }), 'send default');
  });

  it('a mute, a lost device, an expiry or quiet hours since then count', () => {
    assert.equal(check({}, channelFacts({ verdict: { kind: 'drop', reason: 'mutedActor' } })), 'skip mutedActor');
    assert.equal(check({}, channelFacts({ push: { endpoint: 'none' } })), 'skip noEndpoint');
    assert.equal(check({}, channelFacts({ eventTimeMs: noonMs - 73 * 3600_000 })), 'skip expired');
    assert.equal(check({}, channelFacts({ quietUntilMs: noonMs + 1 })), 'hold quietHours');
  });

  it('the first of several gives the reason, and what is critical is no exception', () => {
    const order = [
      ['isErased', 'erased'],
      ['isSuspended', 'suppressed'],
      ['isGone', 'undone'],
      ['isAccessLost', 'accessLost'],
      ['isRead', 'read'],
    ] as const;
    for (const facts of [channelFacts(), channelFacts({ type: alertType })]) {
      for (let subset = 1; subset < 32; subset++) {
        const chosen = order.filter((_, at) => (subset & (1 << at)) !== 0);
        const item = Object.fromEntries(chosen.map(([name]) => [name, true]));
        assert.equal(check(item, facts), `skip ${chosen[0]?.[1]}`);
      }
    }
  });

  it('else decides as at first, for every moment and channel', () => {
    for (const moment of ['now', 'fallback', 'digest'] as const) {
      for (const channel of ['push', 'email'] as const) {
        const facts = channelFacts({ moment, quietUntilMs: noonMs + 5 });
        assert.deepEqual(lastCheck(channel, fresh, facts), decideChannel(channel, facts));
      }
    }
  });
});
