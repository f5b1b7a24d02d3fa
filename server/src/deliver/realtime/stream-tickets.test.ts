import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserPrincipal } from '../../auth/principal.ts';
import type { TenantId, UserId } from '../../base/ids.ts';
import { seededRandom, systemRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { LocalStreamTickets } from './stream-tickets.ts';

const principal = (user: string): UserPrincipal => ({
  kind: 'user',
  tenant: 'T1' as TenantId,
  user: user as UserId,
  session: 'S1',
  expiresAtMs: 1,
});
const limits = { ticketKeptMs: 30_000, ticketsMax: 3 };

test('of two redemptions at once one wins', async () => {
  const tickets = new LocalStreamTickets(new VirtualClock(), seededRandom(1), limits);
  const { ticket } = await tickets.issue(principal('r1'));
  const [first, second] = await Promise.all([tickets.redeem(ticket), tickets.redeem(ticket)]);
  assert.deepEqual([first, second], [principal('r1'), null]);
});

test('a step of the wall clock neither kills nor prolongs a ticket', async () => {
  const clock = new VirtualClock();
  const tickets = new LocalStreamTickets(clock, seededRandom(1), limits);
  const issued = await Promise.all([tickets.issue(principal('a')), tickets.issue(principal('b'))]);
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
  for (const user of ['a', 'b', 'c', 'd']) issued.push((await tickets.issue(principal(user))).ticket);
  const users: (string | undefined)[] = [];
  for (const ticket of issued) users.push((await tickets.redeem(ticket))?.user);
  assert.deepEqual(users, [undefined, 'b', 'c', 'd']);
});

test('a ticket cannot be guessed: 256 bits', async () => {
  const tickets = new LocalStreamTickets(new VirtualClock(), systemRandom, limits);
  assert.match((await tickets.issue(principal('a'))).ticket, /^[0-9a-f]{64}$/);
});
