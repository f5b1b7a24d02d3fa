/** What every SuppressionStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TenantId } from '../base/ids.ts';
import { dayMs } from '../base/iso-time.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { mailAllowed, type SuppressionReason } from './suppression.ts';
import type { StoredSuppression, SuppressionStore } from './suppression-store.ts';

export interface SuppressionStoreUnderTest {
  readonly name: string;
  /** A fresh, empty store, which suppresses after five soft bounces. */
  open(): Promise<{ store: SuppressionStore; clock: VirtualClock }>;
  /** Everything stored as one text; null where nothing is stored. */
  stored: (() => Promise<string>) | null;
}

const [t1, t2] = ['t1', 't2'] as TenantId[] as [TenantId, TenantId];

export function suppressionStoreContract({ name, open, stored }: SuppressionStoreUnderTest): void {
  const told = (kind: SuppressionReason, atMs: number) => ({ kind, atMs, by: 'ses', code: '5.1.1' }) as const;
  const allowed = async (store: SuppressionStore, address: string, tenant = t1) => {
    const [found = null] = await store.find(tenant, [address]);
    return mailAllowed(found);
  };

  describe(`SuppressionStore: ${name}`, () => {
    test('an address is one, however it is written, and of one tenant', async () => {
      const { store, clock } = await open();
      const change = told('hard', clock.now());
      const [outcome] = await store.change([{ tenant: t1, address: 'Ana@App.example', change }]);
      assert.equal(outcome?.hasNewReason, true);
      const found = await store.find(t1, ['bo@app.example', ' ana@app.EXAMPLE']);
      assert.deepEqual(found, [null, outcome?.suppression]);
      assert.deepEqual(outcome?.suppression, {
        address: 'ana@app.example',
        reason: 'hard',
        sinceMs: clock.now(),
        by: 'ses',
        code: '5.1.1',
        softDays: [],
        clearedMs: 0,
      });
      assert.equal(await allowed(store, 'ana@app.example', t2), 'all');
    });

    test('BC-57: soft, hard and complaint are three things', async () => {
      const { store, clock } = await open();
      const change = (address: string, kind: SuppressionReason, atMs = clock.now()) =>
        store.change([{ tenant: t1, address, change: told(kind, atMs) }]);
      const at = clock.now();
      for (let times = 0; times < 5; times++) await change('r1@x.example', 'soft', at);
      await change('r2@x.example', 'hard');
      await change('r3@x.example', 'complaint');
      for (let day = 0; day < 4; day++) await change('r4@x.example', 'soft', at - day * 6 * dayMs);
      assert.equal(await allowed(store, 'r4@x.example'), 'all');
      await change('r4@x.example', 'soft', at - 24 * dayMs);
      const all = ['r1@x.example', 'r2@x.example', 'r3@x.example', 'r4@x.example'];
      assert.deepEqual(await Promise.all(all.map((each) => allowed(store, each))), ['all', 'none', 'critical', 'none']);
      const [r1] = await store.find(t1, ['r1@x.example']);
      assert.equal(r1?.softDays.length, 1);
    });

    test('what was cleared gets mail again, keeps no address, and old feedback counts no more', async () => {
      const { store, clock } = await open();
      const address = 'r4@x.example';
      const before = clock.now();
      await store.change([{ tenant: t1, address, change: told('hard', before) }]);
      await clock.advance(1000);
      await store.change([{ tenant: t1, address, change: { kind: 'clear' } }]);
      assert.equal(await allowed(store, address), 'all');
      assert.equal((await store.find(t1, [address]))[0]?.address, '');
      const [again] = await store.change([{ tenant: t1, address, change: told('hard', before) }]);
      assert.equal(again?.hasNewReason, false);
      assert.equal(await allowed(store, address), 'all');
      await clock.advance(1000);
      await store.change([{ tenant: t1, address, change: told('hard', clock.now()) }]);
      assert.equal(await allowed(store, address), 'none');
      const [none] = await store.change([{ tenant: t1, address: 'nobody@x.example', change: { kind: 'clear' } }]);
      assert.deepEqual(none, { suppression: null, hasNewReason: false });
    });

    test('several changes of one call are applied in their order', async () => {
      const { store, clock } = await open();
      const change = { tenant: t1, address: 'a@x.example' };
      const outcomes = await store.change([
        { ...change, change: told('complaint', clock.now()) },
        { ...change, change: told('hard', clock.now()) },
        { ...change, change: told('complaint', clock.now()) },
      ]);
      assert.deepEqual(
        outcomes.map(({ suppression, hasNewReason }) => [suppression?.reason, hasNewReason]),
        [
          ['complaint', true],
          ['hard', true],
          ['hard', false],
        ],
      );
    });

    test('changes at the same moment are not lost', async () => {
      const { store, clock } = await open();
      const days = Array.from({ length: 5 }, (_, day) => clock.now() - day * dayMs);
      await Promise.all(
        days.map((atMs) => store.change([{ tenant: t1, address: 'a@x.example', change: told('soft', atMs) }])),
      );
      assert.equal(await allowed(store, 'a@x.example'), 'none');
    });

    test('pages show those with a reason, of one tenant, each once', async () => {
      const { store, clock } = await open();
      const addresses = Array.from({ length: 7 }, (_, at) => `p${at}@x.example`);
      const change = told('complaint', clock.now());
      await store.change(addresses.map((address) => ({ tenant: t1, address, change })));
      await store.change([
        { tenant: t2, address: 'other@x.example', change },
        { tenant: t1, address: 'counted@x.example', change: told('soft', clock.now()) },
        { tenant: t1, address: 'p0@x.example', change: { kind: 'clear' } },
      ]);
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<SuppressionStore['page']>> = await store.page(t1, after, 2);
        seen.push(...page.items.map(({ address }) => address));
        after = page.next;
      } while (after !== null);
      assert.deepEqual(seen.sort(), addresses.slice(1));
    });

    test('everything can be taken over by another store, soft bounces counted so far among it', async () => {
      const { store, clock } = await open();
      const at = clock.now();
      await store.change([
        { tenant: t1, address: 'a@x.example', change: told('hard', at) },
        { tenant: t2, address: 'b@x.example', change: told('soft', at) },
        { tenant: t2, address: 'c@x.example', change: told('hard', at) },
        { tenant: t2, address: 'c@x.example', change: { kind: 'clear' } },
      ]);
      const found: StoredSuppression[] = [];
      for (let after: string | null = null; ; ) {
        const page: Awaited<ReturnType<SuppressionStore['everything']>> = await store.everything(after, 1);
        found.push(...page.items);
        if (page.next === null) break;
        after = page.next;
      }
      const names = found.map(({ tenant, suppression: { address } }) => `${tenant} ${address}`);
      assert.deepEqual(names.sort(), ['t1 a@x.example', 't2 b@x.example']);
      const { store: other } = await open();
      await other.restore(found);
      assert.equal(await allowed(other, 'a@x.example'), 'none');
      assert.equal((await other.find(t2, ['b@x.example']))[0]?.softDays.length, 1);
    });

    if (stored !== null) {
      test('S4: no address is stored so that it can be read', async () => {
        const { store, clock } = await open();
        await store.change([{ tenant: t1, address: 'ana.secret@x.example', change: told('hard', clock.now()) }]);
        const text = await stored();
        assert.match(text, /hard/);
        assert.doesNotMatch(text, /ana\.secret/);
      });
    }
  });
}
