/** What every provider of mail keeps to. Each test file gives it a server that can be told how to behave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailProvider } from './email-provider.ts';
import { testMessage } from './test-message.ts';

export type Behaviour =
  | 'accepts'
  /** Takes the mail and closes the connection instead of answering. */
  | 'losesAnswers'
  /** Cannot just now. */
  | 'isBusy'
  /** Slows the sender down. */
  | 'throttles'
  /** Takes nothing from these credentials. */
  | 'blocks'
  /** Finds this mail bad. */
  | 'refuses';

export interface ProviderWorld {
  readonly provider: EmailProvider;
  behave(behaviour: Behaviour): void;
  /** What arrived, whether answered or not: its recipients and subject. */
  received(): readonly { readonly to: readonly string[]; readonly subject: string; readonly messageId: string }[];
  /** From now on nobody listens. */
  stop(): Promise<void>;
}

export function emailProviderContract(name: string, open: () => Promise<ProviderWorld>): void {
  const withWorld = async (work: (world: ProviderWorld) => Promise<void>): Promise<void> => {
    const world = await open();
    try {
      await work(world);
    } finally {
      await world.provider.close();
      await world.stop();
    }
  };
  const kindOf = async ({ provider }: ProviderWorld): Promise<string> => (await provider.send(testMessage())).kind;

  test(`${name}: what is taken is accepted, as one mail to one recipient with our id`, () =>
    withWorld(async (world) => {
      assert.equal(await kindOf(world), 'accepted');
      const [mail, ...others] = world.received();
      assert.deepEqual(others, []);
      assert.deepEqual(mail?.to, ['bo@people.example']);
      assert.equal(mail?.subject, 'Ana liked your post “Grüße”');
      assert.equal(mail?.messageId, '<m1@app.example>');
    }));

  test(`${name}: an answer that does not come leaves it unknown, and is asked for once`, () =>
    withWorld(async (world) => {
      world.behave('losesAnswers');
      assert.equal(await kindOf(world), 'unknown');
      assert.equal(world.received().length, 1);
      world.behave('accepts');
      assert.equal(await kindOf(world), 'accepted');
    }));

  test(`${name}: a server that is not there has taken nothing`, () =>
    withWorld(async (world) => {
      await world.stop();
      assert.equal(await kindOf(world), 'retry');
    }));

  test(`${name}: busy, too fast, not allowed and bad are four things`, () =>
    withWorld(async (world) => {
      const expected = { isBusy: 'retry', throttles: 'throttled', blocks: 'blocked', refuses: 'refused' } as const;
      for (const [behaviour, kind] of Object.entries(expected)) {
        world.behave(behaviour as Behaviour);
        assert.equal(await kindOf(world), kind, behaviour);
      }
      assert.deepEqual(world.received(), []);
      world.behave('accepts');
      assert.equal(await kindOf(world), 'accepted');
    }));

  test(`${name}: one bad recipient spoils nothing for the others (BC-60)`, () =>
    withWorld(async (world) => {
      const outcomes = [];
      for (const at of [1, 2, 3]) {
        world.behave(at === 2 ? 'refuses' : 'accepts');
        outcomes.push((await world.provider.send(testMessage({ to: `p${at}@people.example` }))).kind);
      }
      assert.deepEqual(outcomes, ['accepted', 'refused', 'accepted']);
      assert.deepEqual(
        world.received().map(({ to }) => to),
        [['p1@people.example'], ['p3@people.example']],
      );
    }));
}
