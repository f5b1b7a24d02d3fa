import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PeopleSketch } from './people-sketch.ts';

it('estimates within four standard errors at any size', () => {
  const sketch = PeopleSketch.empty();
  let added = 0;
  for (const size of [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]) {
    for (; added < size; added++) sketch.add(`user-${added}`);
    const error = Math.abs(sketch.estimate() - size) / size;
    assert.ok(error < 0.13, `${sketch.estimate()} for ${size}`);
  }
});

it('adding someone again changes nothing', () => {
  const sketch = PeopleSketch.empty();
  sketch.add('ana');
  assert.equal(sketch.add('ana'), false);
  assert.equal(sketch.estimate(), 1);
});

it('survives being stored', () => {
  const sketch = PeopleSketch.empty();
  for (let n = 0; n < 5000; n++) sketch.add(`user-${n}`);
  const text = sketch.toText();
  assert.equal(JSON.stringify(text), `"${text}"`);
  assert.equal(PeopleSketch.fromText(text).estimate(), sketch.estimate());
});
