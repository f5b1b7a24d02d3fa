/** The documents about the API itself (A7, E8). Made once, when first asked for: they cannot change while the process runs. */
import { asyncApi } from '@carillon/contract/async-api.ts';
import type { JsonObject } from '@carillon/contract/schema-document.ts';
import { Type } from 'typebox';
import { lazy } from '../base/lazy.ts';
import type { EventTypes } from './event-schema.ts';
import { getEventSchema } from './get-event-schema.ts';
import { openApi } from './openapi.ts';
import { defineOperation, type Operation } from './operation.ts';

/** `others` are all operations the server runs beside these; `version` is the release. */
export function documentOperations(others: readonly Operation[], types: EventTypes, version: string): Operation[] {
  const own: Operation[] = [
    documentOperation('/v1/openapi.json', 'The OpenAPI document of this API', () =>
      openApi([...others, ...own], version),
    ),
    documentOperation('/v1/asyncapi.json', 'The AsyncAPI document of the stream', () => asyncApi(version)),
    getEventSchema(types),
  ];
  return own;
}

function documentOperation(path: string, summary: string, document: () => JsonObject): Operation {
  const bytes = lazy(() => Buffer.from(JSON.stringify(document())));
  return defineOperation({
    method: 'GET',
    path,
    summary,
    caller: 'anyone',
    answers: { 200: Type.Object({ info: Type.Object({ title: Type.String(), version: Type.String() }) }) },
    errors: [],
    handle: () => Promise.resolve({ status: 200, body: bytes() }),
  });
}
