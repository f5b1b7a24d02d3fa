import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errorCodes } from '@carillon/contract/error-codes.ts';
import { NotificationQuery } from '@carillon/contract/inbox-requests.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { documentedPath } from './openapi.ts';
import { startTestApi, type TestApi } from './test-api.ts';

interface Document {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

interface DocumentedOperation {
  readonly parameters?: readonly { readonly name: string; readonly schema: unknown }[];
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'] as const;

describe('the OpenAPI document', () => {
  let api: TestApi;
  let document: Document;

  before(async () => {
    api = await startTestApi(null as never);
    document = (await (await fetch(`${api.origin}/v1/openapi.json`)).json()) as Document;
  });
  after(() => api.stop());

  test('A7: it is valid OpenAPI 3.1 by an independent validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(document)));
    assert.ok(result.valid, JSON.stringify(result.errors));
    assert.equal(validator.version, '3.1');
    const broken = JSON.parse(JSON.stringify(document));
    broken.paths['/livez'] = { get: { responses: { 200: {} } } };
    assert.equal((await new Validator().validate(broken)).valid, false);
  });

  test('A7: every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      (found) => found[1] as string,
    );
    assert.ok(references.length > 50);
    for (const reference of references) {
      let at: unknown = document;
      for (const step of reference.split('/')) at = (at as Record<string, unknown> | undefined)?.[step];
      assert.notEqual(at, undefined, reference);
    }
  });

  test('A7: the server takes exactly the methods and paths that are documented', async () => {
    const routes = registeredPaths(api.app.printRoutes({ commonPrefix: false }));
    assert.ok(routes.length >= 16, routes.join(' '));
    assert.deepEqual(Object.keys(document.paths).sort(), routes.map(documentedPath).sort());
    for (const path of routes) {
      for (const method of methods) {
        const answer = await fetch(api.origin + path.replace(/:[a-z]+/g, 'x'), { method });
        const documented = document.paths[documentedPath(path)]?.[method.toLowerCase()] !== undefined;
        assert.equal(answer.status !== 405, documented, `${method} ${path} ${answer.status}`);
        if (!documented) assert.ok(answer.headers.get('allow'), path);
        await answer.arrayBuffer();
      }
    }
  });

  test('A6: every operation lists the problems it can answer, each under its status', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const [status, { content }] of Object.entries(responses)) {
          const problem = content?.['application/problem+json'];
          if (Number(status) >= 400 && Number(status) !== 503) assert.ok(problem, `${method} ${path} ${status}`);
          if (problem === undefined) continue;
          for (const code of codesOf(problem)) {
            assert.equal(errorCodes[code as keyof typeof errorCodes].status, Number(status), code);
          }
        }
        assert.ok(responses[500] && responses[503], `${method} ${path}`);
      }
    }
  });

  test('A7: the schemas that validate are the ones documented', () => {
    const { parameters = [] } = document.paths['/v1/notifications']?.get ?? {};
    for (const [name, schema] of Object.entries(NotificationQuery.properties)) {
      assert.deepEqual(
        parameters.find((parameter) => parameter.name === name)?.schema,
        JSON.parse(JSON.stringify(schema)),
      );
    }
  });

  test('E8: the schema of a type fixes its name, with and without the version', async () => {
    for (const type of ['post.liked', 'post.liked@1']) {
      const answer = await fetch(`${api.origin}/v1/schemas/${type}`);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/schema\+json(;|$)/);
      const schema = (await answer.json()) as { $id: string; required: string[]; properties: { type: object } };
      assert.equal(schema.$id, 'urn:carillon:event:post.liked@1');
      assert.deepEqual(schema.properties.type, { enum: ['post.liked', 'post.liked@1'] });
      assert.deepEqual([...schema.required].sort(), ['actor', 'id', 'object', 'source', 'time', 'to', 'type']);
    }
    const notice = (await (await fetch(`${api.origin}/v1/schemas/system.notice`)).json()) as { required: string[] };
    assert.deepEqual(
      [...notice.required].sort(),
      ['id', 'source', 'time', 'to', 'type'],
      'the app itself speaks, of nothing in particular',
    );
    for (const type of ['post.liked@2', 'post.nope', '__proto__', 'x%2Fy']) {
      const answer = await fetch(`${api.origin}/v1/schemas/${type}`);
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { code: string }).code, 'CARILLON_SCHEMA_UNKNOWN');
    }
  });
});

function codesOf(problem: unknown): string[] {
  const { schema } = problem as { schema: { allOf: [unknown, { properties: { code: { enum: string[] } } }] } };
  return schema.allOf[1].properties.code.enum;
}

/** The full paths in the router's own tree, four characters to a level. */
function registeredPaths(tree: string): string[] {
  const steps: string[] = [];
  const paths = new Set<string>();
  for (const line of tree.split('\n')) {
    const found = /^([│ ]*[├└]── )(.*?)(?: \(([^)]*)\))?$/.exec(line);
    if (found === null) continue;
    const depth = (found[1] as string).length / 4 - 1;
    steps.length = depth;
    steps.push(found[2] as string);
    if (found[3] !== undefined) paths.add(steps.join(''));
  }
  return [...paths];
}
