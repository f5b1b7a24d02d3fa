import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Principal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { Idempotency, type IdempotentRequest } from './idempotency.ts';
import { IdempotencyStoreMemory } from './idempotency-store-memory.ts';

function setUp() {
  const clock = new VirtualClock();
  const store = new IdempotencyStoreMemory();
  const failures: unknown[] = [];
  const open = () => new Idempotency(store, clock, (error) => failures.push(error));
  let runs = 0;
  const work = async () => {
    runs++;
    return { status: 202, body: Buffer.from(`{"run":${runs}}`) };
  };
  return { clock, store, failures, open, idempotency: open(), work, runs: () => runs };
}

function producer(tenant: string, caller: string): Principal {
  return { kind: 'producer', tenant: tenant as TenantId, caller, sources: ['*'], expiresAtMs: 9e15 };
}

function request(change: Partial<IdempotentRequest> & { text?: string } = {}): IdempotentRequest {
  const { text = '{"a":1}', ...rest } = change;
  return {
    principal: producer('t1', 'c1'),
    operation: 'POST /v1/events',
    url: '/v1/events',
    key: '"k1"',
    body: Buffer.from(text),
    ...rest,
  };
}

const refused = (code: string) => (error: unknown) => error instanceof CarillonError && error.code === code;
const text = (reply: { body?: object | string }) => String(reply.body);

describe('Idempotency-Key', () => {
  test('BC-01 (a): of two requests at the same instant one runs, the other gets 409, and its retry the same answer', async () => {
    const { idempotency, work, runs } = setUp();
    const first = idempotency.run(request(), work);
    await assert.rejects(idempotency.run(request(), work), refused('CARILLON_IDEMPOTENCY_RUNNING'));
    assert.equal(text(await first), '{"run":1}');
    assert.equal(text(await idempotency.run(request(), work)), '{"run":1}');
    assert.equal(runs(), 1);
  });

  test('BC-01 (b): another body with the same key gets 422, running or answered', async () => {
    const { idempotency, work, runs } = setUp();
    const first = idempotency.run(request(), work);
    await assert.rejects(idempotency.run(request({ text: '{}' }), work), refused('CARILLON_IDEMPOTENCY_REUSED'));
    await first;
    await assert.rejects(idempotency.run(request({ text: '{}' }), work), refused('CARILLON_IDEMPOTENCY_REUSED'));
    await assert.rejects(idempotency.run(request({ url: '/v1/x' }), work), refused('CARILLON_IDEMPOTENCY_REUSED'));
    assert.equal(runs(), 1);
  });

  test('BC-01 (c): a crash or a failure in mid-request leaves the key free', async () => {
    const { idempotency, open, work, runs } = setUp();
    void idempotency.run(request(), () => new Promise<never>(() => {}));
    assert.equal(text(await open().run(request(), work)), '{"run":1}');
    const other = request({ key: 'k2' });
    await assert.rejects(
      open().run(other, () => Promise.reject(new Error('disk'))),
      /disk/,
    );
    assert.equal(text(await open().run(other, work)), '{"run":2}');
    assert.equal(runs(), 2);
  });

  test('BC-66: keys never meet across tenants, callers and operations', async () => {
    const { idempotency, work, runs } = setUp();
    await idempotency.run(request(), work);
    await idempotency.run(request({ principal: producer('t2', 'c1') }), work);
    await idempotency.run(request({ principal: producer('t1', 'c2') }), work);
    await idempotency.run(request({ operation: 'POST /v1/other' }), work);
    assert.equal(runs(), 4);
  });

  test('a quoted key and the bare token are the same key', async () => {
    const { idempotency, work, runs } = setUp();
    await idempotency.run(request({ key: 'k1' }), work);
    await idempotency.run(request({ key: '"k1"' }), work);
    assert.equal(runs(), 1);
  });

  for (const key of ['', '""', '"open', 'two words', `"${'x'.repeat(256)}"`, '"\u00e9"']) {
    test(`the key ${JSON.stringify(key.slice(0, 12))} is refused`, async () => {
      const { idempotency, work } = setUp();
      await assert.rejects(idempotency.run(request({ key }), work), refused('CARILLON_REQUEST_INVALID'));
    });
  }

  test('after 24 hours a key is free again', async () => {
    const { idempotency, clock, work, runs } = setUp();
    await idempotency.run(request(), work);
    clock.advance(limits.idempotencyKeptMs - 1);
    await idempotency.run(request(), work);
    assert.equal(runs(), 1);
    clock.advance(1);
    await idempotency.run(request(), work);
    assert.equal(runs(), 2);
  });

  test('an answer that cannot be kept is given all the same, and reported', async () => {
    const { store, failures, open, work } = setUp();
    store.put = () => Promise.reject(new Error('disk full'));
    assert.equal(text(await open().run(request(), work)), '{"run":1}');
    assert.equal(failures.length, 1);
  });
});
