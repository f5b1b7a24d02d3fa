import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch } from './merge-patch.ts';

test('each example of RFC 7396, appendix A', () => {
  for (const [target, patch, result] of [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ] as const) {
    assert.deepEqual(mergePatch(JSON.parse(target), JSON.parse(patch)), JSON.parse(result), `${target} ${patch}`);
  }
});

test('names of what every object has are names like others', () => {
  const patch = JSON.parse('{"constructor":{"a":1},"__proto__":{"polluted":true}}');
  const merged = mergePatch({}, patch) as Record<string, unknown>;
  assert.deepEqual(merged.constructor, { a: 1 });
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('neither argument is changed', () => {
  const target = Object.freeze({ a: Object.freeze({ b: 1 }) });
  assert.deepEqual(mergePatch(target, Object.freeze({ a: Object.freeze({ b: null, c: 2 }) })), { a: { c: 2 } });
});
