/** What a gateway notes of people who come, show, hide and go, on one connection or several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../../base/ids.ts';
import { LookingWatch } from './looking-watch.ts';

const ana = personKey('default', 'ana');

/** States in order, as `connected visible`; what was noted of them. */
function notesOf(...states: readonly string[]): string {
  const noted: string[] = [];
  let now = { connected: false, visible: false, lastSeenAtMs: null };
  const note = (what: string) => () => noted.push(what);
  const notes = { visible: note('visible'), hidden: note('hidden'), gone: note('gone') };
  const watch = new LookingWatch({ presence: () => now }, notes);
  for (const state of states) {
    now = { connected: state !== '', visible: state.endsWith('visible'), lastSeenAtMs: null };
    watch.look(ana);
  }
  return noted.join(' ');
}

test('who never shows it is not noted', () => {
  assert.equal(notesOf('connected', 'connected', ''), '');
});

test('changes are noted once each', () => {
  assert.equal(notesOf('connected visible', 'connected visible', 'connected', 'connected', ''), 'visible hidden gone');
  assert.equal(notesOf('connected visible', '', '', 'connected', 'connected visible'), 'visible gone visible');
});
