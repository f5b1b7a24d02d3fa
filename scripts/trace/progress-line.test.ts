import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from './progress-line.ts';

test('a terminal gets one line that is redrawn, at most ten times a second', () => {
  let now = 0;
  const written: string[] = [];
  const output = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const line = progressLine(2000, output, () => now);
  now = 1000;
  line.update(500);
  now = 1050;
  line.update(600);
  now = 2000;
  line.end(2000);
  assert.equal(written.length, 2);
  assert.match(written[0] ?? '', /^\r.*━+─+ {2}25 % {2}500 of 2,000 {2}500\/s$/);
  assert.match(written[1] ?? '', /100 % {2}2,000 of 2,000 {2}1,000\/s\n$/);
});

test('elsewhere there are plain lines now and then', () => {
  let now = 0;
  const written: string[] = [];
  const line = progressLine(10, { write: (text: string) => written.push(text) }, () => now);
  for (now = 1000; now <= 12_000; now += 1000) line.update(1);
  assert.equal(written.length, 3);
  assert.ok(written.every((text) => /^1 of 10 {2}\d+\/s\n$/.test(text)));
});
