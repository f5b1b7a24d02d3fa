/** What stream tickets promise, wherever they are kept. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { UserPrincipal } from '../../auth/principal.ts';
import type { TenantId, UserId } from '../../base/ids.ts';
import type { StreamTickets } from './stream-tickets.ts';

export interface TicketWorld {
  /** As a process of its own has them; the same each time where there is only one. */
  open(): StreamTickets;
  /** Resolves when the time of all tickets is over. */
  outlive(): Promise<void>;
  close(): Promise<void>;
}

export function ticketPrincipal(user: string): UserPrincipal {
  return { kind: 'user', tenant: 'T1' as TenantId, user: user as UserId, session: 'S1', expiresAtMs: 1 };
}

export function streamTicketsContract(name: string, createWorld: () => Promise<TicketWorld>): void {
  describe(`stream tickets ${name}`, { timeout: 60_000 }, () => {
    let world: TicketWorld;
    before(async () => {
      world = await createWorld();
    });
    after(() => world.close());

    test('a ticket says whose it is, once, to whoever is asked', async () => {
      const principal = { ...ticketPrincipal('r1 "ü'), session: null };
      const { ticket } = await world.open().issue(principal);
      assert.deepEqual(await world.open().redeem(ticket), principal);
      assert.equal(await world.open().redeem(ticket), null);
    });

    test('of two redemptions at once one wins', async () => {
      const { ticket } = await world.open().issue(ticketPrincipal('r1'));
      const both = await Promise.all([world.open().redeem(ticket), world.open().redeem(ticket)]);
      assert.deepEqual(
        both.filter((each) => each !== null),
        [ticketPrincipal('r1')],
      );
    });

    test('tickets are distinct, long, and nothing else is one', async () => {
      const issued = [await world.open().issue(ticketPrincipal('r1')), await world.open().issue(ticketPrincipal('r1'))];
      assert.notEqual(issued[0]?.ticket, issued[1]?.ticket);
      for (const { ticket } of issued) assert.match(ticket, /^[0-9a-f]{64}$/);
      for (const guess of ['', '0'.repeat(64), '*', issued[0]?.ticket.slice(1) ?? '']) {
        assert.equal(await world.open().redeem(guess), null);
      }
    });

    test('it is worth nothing any more once its time is over', async () => {
      const { ticket } = await world.open().issue(ticketPrincipal('r1'));
      await world.outlive();
      assert.equal(await world.open().redeem(ticket), null);
    });
  });
}
