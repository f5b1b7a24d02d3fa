/** Revocations reach every process, whatever is away (V33) [BC-70]. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { UserPrincipal } from '../../auth/principal.ts';
import { RevocationStoreMemory } from '../../auth/revocation-store-memory.ts';
import { Revocations } from '../../auth/revocations.ts';
import type { TenantId } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { BusMessage } from './bus.ts';
import { BusHub, BusMemory } from './bus-memory.ts';
import { RevocationStoreBus } from './revocation-store-bus.ts';
import { ticketPrincipal } from './stream-tickets.contract.ts';

const tenant = 'T1' as TenantId;
const of = (session: string): UserPrincipal => ({ ...ticketPrincipal('r1'), session });

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** A bus whose publishing alone can break. */
class HalfBus extends BusMemory {
  isBroken = false;

  override async publish(messages: readonly BusMessage[]): Promise<void> {
    if (this.isBroken) throw new Error('the connection is broken');
    await super.publish(messages);
  }
}

async function createWorld() {
  const clock = new VirtualClock();
  const hub = new BusHub();
  const kept = new RevocationStoreMemory();
  const processes = [0, 1].map(() => {
    const bus = new HalfBus(hub);
    const store = new RevocationStoreBus({ store: kept, bus, clock });
    const revocations = new Revocations(store, clock);
    const heard: string[] = [];
    revocations.onRevoked((session) => heard.push(session));
    return { bus, store, revocations, heard };
  });
  await settle();
  const [here, there] = processes as [(typeof processes)[0], (typeof processes)[0]];
  return { clock, hub, kept, here, there };
}

test('BC-70: a session that ends at one process ends at once at the others, and is told of once', async () => {
  const { here, there } = await createWorld();
  await here.revocations.revoke(tenant, 'S1');
  await settle();
  assert.ok(there.revocations.isRevoked(of('S1')) && !there.revocations.isRevoked(of('S2')));
  await there.revocations.load();
  assert.deepEqual([here.heard.length, there.heard.length], [1, 1]);
  assert.ok(!there.revocations.isRevoked({ ...of('S1'), tenant: 'T2' as TenantId }));
});

test('without a bus they find it in the store, soon; with it again, at once', async () => {
  const { clock, hub, here, there } = await createWorld();
  hub.takeAway();
  await here.revocations.revoke(tenant, 'S1');
  await settle();
  assert.ok(!there.revocations.isRevoked(of('S1')));
  clock.advance(limits.revocationReloadMs);
  await settle();
  assert.ok(there.revocations.isRevoked(of('S1')));
  await here.revocations.revoke(tenant, 'S2');
  hub.bringBack();
  await settle();
  assert.ok(there.revocations.isRevoked(of('S2')));
  assert.deepEqual(there.heard.length, 2);
});

test('who could not tell tells as soon as it can, though nobody else noticed a loss', async () => {
  const { clock, here, there } = await createWorld();
  here.bus.isBroken = true;
  for (const session of ['S1', 'S2']) await here.revocations.revoke(tenant, session);
  here.bus.isBroken = false;
  clock.advance(limits.busRetryMs);
  await settle();
  assert.ok(there.revocations.isRevoked(of('S1')) && there.revocations.isRevoked(of('S2')));
});

test('a store that cannot be written makes the revocation fail, and ends the session everywhere all the same', async () => {
  const { kept, here, there } = await createWorld();
  kept.put = () => Promise.reject(new Error('no'));
  await assert.rejects(here.revocations.revoke(tenant, 'S1'));
  await settle();
  assert.ok(here.revocations.isRevoked(of('S1')) && there.revocations.isRevoked(of('S1')));
});

test('a store that cannot be read is read again', async () => {
  const { clock, hub, kept, here, there } = await createWorld();
  const load = kept.load.bind(kept);
  let fails = 3;
  kept.load = (nowMs) => (fails-- > 0 ? Promise.reject(new Error('no')) : load(nowMs));
  hub.takeAway();
  await here.revocations.revoke(tenant, 'S1');
  here.store.close();
  hub.bringBack();
  for (let attempt = 0; attempt < 4; attempt++) {
    await settle();
    clock.advance(limits.busRetryMs);
  }
  await settle();
  assert.ok(there.revocations.isRevoked(of('S1')));
});
