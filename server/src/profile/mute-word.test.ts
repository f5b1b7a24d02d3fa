import assert from 'node:assert/strict';
import { test } from 'node:test';
import { muteWord } from './mute-word.ts';

test('writings of one word are one', () => {
  assert.equal(muteWord('  Spoiler\t Alert\n'), 'spoiler alert');
  assert.equal(muteWord('ﬁn'), muteWord('FIN'));
  assert.equal(muteWord('e\u0301'), muteWord('É'));
  assert.equal(muteWord('\u3000 '), '');
});
