/** What every push provider promises, each with a server of its own kind that plays its service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Device } from '../../profile/device.ts';
import type { Outcome } from '../outcome.ts';
import type { PushMessage, PushProvider } from './push-provider.ts';
import { alertOf, badge, nowMs, retraction, text } from './test-push.ts';

/** What the service does with a push: takes it, cuts the connection, has a fault, knows no such device, or says nonsense. */
export type Service = 'takes' | 'cuts' | 'fails' | 'gone' | 'nonsense';

export interface PushWorld {
  readonly provider: PushProvider;
  readonly device: Device;
  /** Pushes that came to the service. */
  readonly arrived: () => number;
  /** After this nobody listens. */
  readonly stopService: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function pushProviderContract(name: string, open: (service: Service) => Promise<PushWorld>): void {
  const within = async (service: Service, use: (world: PushWorld) => Promise<void>): Promise<void> => {
    const world = await open(service);
    try {
      await use(world);
    } finally {
      await world.close();
    }
  };
  const send = ({ provider, device }: PushWorld, message: PushMessage = alertOf()): Promise<Outcome> => {
    const request = provider.render(message, device, nowMs);
    assert.ok(request !== null);
    return provider.send(request, device);
  };

  test(`${name}: what the service takes is accepted, also many at once, and each arrives once`, async () => {
    await within('takes', async (world) => {
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => send(world)));
      assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']));
      assert.equal(world.arrived(), 30);
    });
  });

  test(`${name}: a connection that ends without an answer: unknown, and not sent again (V4)`, async () => {
    await within('cuts', async (world) => {
      assert.equal((await send(world)).kind, 'unknown');
      assert.equal(world.arrived(), 1);
    });
  });

  test(`${name}: nobody listens: it was not sent, and may be tried again`, async () => {
    await within('takes', async (world) => {
      await world.stopService();
      assert.equal((await send(world)).kind, 'retry');
    });
  });

  test(`${name}: a fault of the service is no proof of anything: tried again, and the endpoint stays`, async () => {
    await within('fails', async (world) => assert.equal((await send(world)).kind, 'retry'));
  });

  test(`${name}: a device that is not there any more is gone`, async () => {
    await within('gone', async (world) => assert.equal((await send(world)).kind, 'gone'));
  });

  test(`${name}: nonsense is no acceptance, and removes nothing`, async () => {
    await within('nonsense', async (world) => {
      const { kind } = await send(world);
      assert.ok(kind !== 'accepted' && kind !== 'gone', kind);
    });
  });

  test(`${name}: closing ends it: what is sent then was not sent`, async () => {
    const world = await open('takes');
    await send(world);
    await world.provider.close();
    assert.equal((await send(world)).kind, 'retry');
    assert.equal(world.arrived(), 1);
    await world.close();
  });

  test(`${name}: rendering is pure, keeps the limit, and knows its own devices (C3)`, async () => {
    await within('takes', async ({ provider, device }) => {
      const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 });
      fc.assert(
        fc.property(words, words, (title, body) => {
          const message = alertOf({ text: { ...text, title, body } });
          const request = provider.render(message, device, nowMs);
          assert.deepEqual(provider.render(message, device, nowMs), request);
          // The target of a request may stand in its body, and is no part of the payload.
          const target = 'value' in device.address ? device.address.value.length + 20 : 0;
          assert.ok(Buffer.byteLength(request?.body ?? '') <= provider.limits.payloadBytesMax + target);
        }),
        { numRuns: 100 },
      );
      for (const message of [badge, retraction]) {
        assert.deepEqual(provider.render(message, device, nowMs), provider.render(message, device, nowMs));
      }
      assert.notEqual(provider.projectOf(device), null);
    });
  });
}
