/** `GET /v1/admin/preview`: what a type of event reads like in a locale and channel, for operators (O1, C2). */
import { channels } from '@carillon/contract/reasons.ts';
import { Type } from 'typebox';
import type { Content } from '../content/content.ts';
import { preview } from '../content/preview.ts';
import { privacyLevels } from '../content/type-entry.ts';
import { defineOperation, type Operation } from './operation.ts';

const PreviewQuery = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 128 }),
    locale: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    channel: Type.Enum([...channels]),
    privacy: Type.Optional(Type.Enum([...privacyLevels])),
  },
  { additionalProperties: false },
);

const Text = Type.String({ minLength: 1 });
const LinkOrNull = Type.Union([Type.String(), Type.Null()]);

const PreviewAnswer = Type.Object({
  type: Text,
  channel: Type.Enum([...channels]),
  locale: Text,
  direction: Type.Enum(['ltr', 'rtl']),
  templateVersion: Text,
  samples: Type.Array(
    Type.Object({
      people: Type.Integer({ minimum: 1 }),
      title: Text,
      body: Text,
      url: LinkOrNull,
      actions: Type.Array(Type.Object({ id: Text, label: Text, url: Text })),
    }),
  ),
});

/** `content`: as it is at the moment of the call. */
export function previewType(content: () => Content): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/preview',
    summary: 'What a type of event reads like, by locale and channel',
    caller: 'operator',
    query: PreviewQuery,
    answers: { 200: PreviewAnswer },
    errors: ['CARILLON_EVENT_TYPE_UNKNOWN'],
    handle({ query }) {
      return Promise.resolve({ status: 200, body: preview(content(), { ...query, locale: query.locale ?? null }) });
    },
  });
}
