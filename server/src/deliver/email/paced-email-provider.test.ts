import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EmailProvider } from './email-provider.ts';
import { PacedEmailProvider } from './paced-email-provider.ts';
import { testMessage } from './test-message.ts';

function world(perSecond: number) {
  const clock = new VirtualClock();
  const begins: number[] = [];
  const began = clock.monotonic();
  const provider: EmailProvider = {
    name: 'smtp',
    limits: { sendsMax: 50, perSecond },
    async send() {
      begins.push(clock.monotonic() - began);
      return { kind: 'accepted', providerId: null };
    },
    check: async () => [],
    close: async () => {},
  };
  return { clock, begins, paced: new PacedEmailProvider(provider, perSecond, clock) };
}

/** As a real clock goes: whoever waits sees the time it waited for. */
async function inSteps(clock: VirtualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('V6: calls are as far apart as they must be, and in their order', async () => {
  const { clock, begins, paced } = world(4);
  const sends = Array.from({ length: 9 }, () => paced.send(testMessage()));
  await inSteps(clock, 3000);
  await Promise.all(sends);
  assert.deepEqual(begins, [0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000]);
});

test('V6: what was not used is not saved up', async () => {
  const { clock, begins, paced } = world(10);
  await paced.send(testMessage());
  clock.advance(5000);
  const sends = [paced.send(testMessage()), paced.send(testMessage())];
  await inSteps(clock, 1000);
  await Promise.all(sends);
  assert.deepEqual(begins, [0, 5000, 5100]);
});

test('no more are under way than go in a second, so that none waits for long', () => {
  assert.equal(world(4).paced.limits.sendsMax, 4);
  assert.equal(world(400).paced.limits.sendsMax, 50);
});
