/** Facts about a person who takes everything, at noon, for tests: each test says what is different. */
import type { ChannelFacts } from './decide-channels.ts';

export const noonMs = Date.UTC(2026, 2, 10, 12);

type FactsChange = Partial<Omit<ChannelFacts, 'type' | 'push' | 'email'>> & {
  readonly type?: Partial<ChannelFacts['type']>;
  readonly push?: Partial<ChannelFacts['push']>;
  readonly email?: Partial<ChannelFacts['email']>;
};

const comment: ChannelFacts['type'] = {
  name: 'comment.created',
  category: 'comments',
  lane: 'direct',
  critical: false,
  channels: { inApp: true, push: true, email: true },
  ttlMs: 72 * 3600_000,
  pushAlways: false,
  emailMode: 'fallback',
  emailAfterMs: 30 * 60_000,
};

export const alertType: Partial<ChannelFacts['type']> = {
  name: 'security.alert',
  category: 'security',
  critical: true,
  emailMode: 'immediate',
};

export function channelFacts({ type, push, email, ...more }: FactsChange = {}): ChannelFacts {
  const ready = { endpoint: 'ready', windowEndsAtMs: null, cappedUntilMs: null } as const;
  return {
    also: null,
    choices: {},
    askedForPush: false,
    verdict: { kind: 'accept', reason: 'default' },
    isPresent: false,
    quietUntilMs: null,
    digestAtMs: null,
    eventTimeMs: noonMs,
    nowMs: noonMs,
    moment: 'now',
    ...more,
    type: { ...comment, ...type },
    push: { ...ready, ...push },
    email: { ...ready, ...email },
  };
}
