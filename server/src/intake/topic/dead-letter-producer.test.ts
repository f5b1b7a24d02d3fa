import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type MessageToProduce, ProtocolError } from '@platformatic/kafka';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { DeadLetter } from './dead-letter.ts';
import { DeadLetterProducer } from './dead-letter-producer.ts';

function letter(offset: number): DeadLetter {
  const value = Buffer.from(`value ${offset}`);
  return {
    message: { topic: 'events', partition: 0, offset, timestampMs: 0, key: null, value, headers: [] },
    refusal: { code: 'CARILLON_EVENT_INVALID', detail: '', path: '', events: null },
  };
}

/** `answers`: what each send does; further ones succeed. */
function scene(...answers: readonly (Error | 'never')[]) {
  const clock = new VirtualClock();
  const sent: string[][] = [];
  const failures: unknown[] = [];
  const left = [...answers];
  const client = {
    send({ messages }: { messages: MessageToProduce<Buffer, Buffer, Buffer, Buffer | null>[] }) {
      sent.push(messages.map(({ value }) => value?.toString() ?? 'none'));
      const answer = left.shift();
      if (answer === 'never') return new Promise(() => {});
      return answer === undefined ? Promise.resolve({}) : Promise.reject(answer);
    },
  };
  const producer = new DeadLetterProducer({
    client: client as never,
    topic: 'events.dead',
    clock,
    onFailure: (error) => failures.push(error),
  });
  return { clock, sent, failures, producer, abort: new AbortController() };
}

const tooLarge = new ProtocolError('MESSAGE_TOO_LARGE');

test('E4: letters that could not be written are tried again until they are', async () => {
  const { clock, sent, failures, producer, abort } = scene(new Error('away'), new Error('away'));
  const written = producer.send([letter(1), letter(2)], abort.signal);
  for (let tries = 0; tries < 2; tries++) {
    await turn();
    clock.advance(1000);
  }
  await written;
  assert.equal(failures.length, 2);
  assert.deepEqual(sent.at(-1), ['value 1', 'value 2']);
});

test('E4: too large together, they are written one by one; too large alone, without the value', async () => {
  const { sent, producer, abort } = scene(tooLarge, tooLarge);
  await producer.send([letter(1), letter(2)], abort.signal);
  assert.deepEqual(sent, [['value 1', 'value 2'], ['value 1'], ['none'], ['value 2']]);
});

test('E4: a topic that takes not even the place of a message holds its partition up: nothing is dropped', async () => {
  const { clock, sent, failures, producer, abort } = scene(tooLarge, tooLarge, tooLarge, tooLarge);
  const written = producer.send([letter(1)], abort.signal);
  await turn();
  await turn();
  assert.equal(failures.length, 1);
  clock.advance(1000);
  await written;
  assert.deepEqual(sent, [['value 1'], ['value 1'], ['none'], ['none'], ['value 1']]);
});

test('M4: a stop does not wait for a broker that never answers', async () => {
  const { producer, abort } = scene('never');
  const written = producer.send([letter(1)], abort.signal);
  await turn();
  abort.abort();
  await written;
});
