/** The documents about the API itself (A7, E8). Made once, at start: they cannot change while the process runs. */
import { asyncApi } from '@carillon/contract/async-api.ts';
import type { JsonObject } from '@carillon/contract/schema-document.ts';
import { Type } from 'typebox';
import type { EventTypes } from './event-schema.ts';
import { getEventSchema } from './get-event-schema.ts';
import { openApi } from './openapi.ts';
import { defineOperation, type Operation } from './operation.ts';

/** `others` are all operations the server runs beside these; `version` is the release. */
export function documentOperations(others: readonly Operation[], types: EventTypes, version: string): Operation[] {
  let openApiBytes = Buffer.alloc(0);
  const own = [
    documentOperation('/v1/openapi.json', 'The OpenAPI document of this API', () => openApiBytes),
    documentOperation('/v1/asyncapi.json', 'The AsyncAPI document of the stream', bytesOnce(asyncApi(version))),
    getEventSchema(types),
  ];
  openApiBytes = toBytes(openApi([...others, ...own], version));
  return own;
}

function documentOperation(path: string, summary: string, bytes: () => Buffer): Operation {
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

function bytesOnce(document: JsonObject): () => Buffer {
  const bytes = toBytes(document);
  return () => bytes;
}

function toBytes(document: JsonObject): Buffer<ArrayBuffer> {
  return Buffer.from(JSON.stringify(document));
}
