import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConnectionEvent, type ConnectionState, transition } from './connection.ts';

const states: ConnectionState[] = ['opening', 'authenticating', 'starting', 'live', 'closing', 'closed'];
const events: ConnectionEvent[] = ['tokenCame', 'proven', 'started', 'cut', 'ended'];

test('a connection only ever goes forward, and only proven ones become live', () => {
  for (const state of states) {
    for (const event of events) {
      const next = transition(state, event);
      if (next !== null) assert.ok(states.indexOf(next) > states.indexOf(state), `${state} ${event} ${next}`);
      if (next === 'live') assert.equal(state, 'starting');
      if (next === 'starting') assert.equal(event, 'proven');
    }
  }
});

test('any connection can end, once; a closing one cannot be cut again or come back', () => {
  for (const state of states) assert.equal(transition(state, 'ended'), state === 'closed' ? null : 'closed');
  for (const event of events) {
    assert.equal(transition('closed', event), null);
    if (event !== 'ended') assert.equal(transition('closing', event), null);
  }
});
