import assert from 'node:assert/strict';
import { test } from 'node:test';
import specs from '@asyncapi/specs';
import { Ajv, type AnySchema } from 'ajv';
import { asyncApi } from './async-api.ts';
import { closeCodes } from './close-codes.ts';

const published = specs.schemas['3.0.0'] as AnySchema;

function validator() {
  return new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false }).compile(published);
}

test('A7: the stream document is valid AsyncAPI 3 by the published schema', () => {
  const validate = validator();
  assert.ok(validate(asyncApi('1.0.0')), JSON.stringify(validate.errors?.slice(0, 5)));
});

test('A7: the published schema does refuse a broken document', () => {
  const validate = validator();
  assert.equal(validate({ ...asyncApi('1.0.0'), channels: { stream: { address: 5 } } }), false);
});

test('A7: every reference leads somewhere', () => {
  const document = asyncApi('1.0.0');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((found) => found[1] as string);
  assert.ok(references.length > 20);
  for (const reference of references) {
    let at: unknown = document;
    for (const step of reference.split('/')) at = (at as Record<string, unknown> | undefined)?.[step];
    assert.notEqual(at, undefined, reference);
  }
});

test('A7: every close code is documented', () => {
  assert.deepEqual(asyncApi('1.0.0')['x-close-codes'], { ...closeCodes });
});
