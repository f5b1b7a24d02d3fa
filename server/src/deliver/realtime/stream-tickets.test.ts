import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, systemRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { streamTicketsContract, ticketPrincipal } from './stream-tickets.contract.ts';
import { LocalStreamTickets } from './stream-tickets.ts';

const limits = { ticketKeptMs: 30_000, ticketsMax: 3 };

streamTicketsContract('of one process', async () => {
  const clock = new VirtualClock();
  const tickets = new LocalStreamTickets(clock, systemRandom, { ticketKeptMs: 30_000, ticketsMax: 100 });
  return { open: () => tickets, outlive: async () => clock.advance(30_000), close: async () => {} };
});

test('a step of the wall clock neither kills nor prolongs a ticket', async () => {
  const clock = new VirtualClock();
  const tickets = new LocalStreamTickets(clock, seededRandom(1), limits);
  const issued = await Promise.all([tickets.issue(ticketPrincipal('a')), tickets.issue(ticketPrincipal('b'))]);
  clock.step(3_600_000);
  clock.advance(29_999);
  assert.equal((await tickets.redeem(issued[0].ticket))?.user, 'a');
  clock.step(-7_200_000);
  clock.advance(1);
  assert.equal(await tickets.redeem(issued[1].ticket), null);
});

test('they are bounded: the oldest goes', async () => {
  const tickets = new LocalStreamTickets(new VirtualClock(), seededRandom(1), limits);
  const issued: string[] = [];
  for (const user of ['a', 'b', 'c', 'd']) issued.push((await tickets.issue(ticketPrincipal(user))).ticket);
  const users: (string | undefined)[] = [];
  for (const ticket of issued) users.push((await tickets.redeem(ticket))?.user);
  assert.deepEqual(users, [undefined, 'b', 'c', 'd']);
});
