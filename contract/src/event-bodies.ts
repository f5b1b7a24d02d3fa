/**
 * Bodies of `POST /v1/events`, per media type, for the documentation (E2). A list is judged event by event, so that one
 * that does not fit its schema never fails its neighbours. The binary form of CloudEvents carries attributes in headers.
 */
import { type TSchema, Type } from 'typebox';
import { Actor, Event, EventObject, EventType, Id, Recipients } from './event.ts';
import { Time } from './notification.ts';

const Batch = Type.Array(Event, { minItems: 1, maxItems: 1000 });

/** Structured CloudEvents 1.0: what an event holds beyond the attributes lies in `data`. */
export const CloudEvent = Type.Object({
  specversion: Type.Literal('1.0'),
  id: Id,
  source: Id,
  type: EventType,
  time: Time,
  datacontenttype: Type.Optional(Type.Literal('application/json')),
  traceparent: Type.Optional(Type.String()),
  data: Type.Object({
    actor: Actor,
    object: EventObject,
    to: Recipients,
    seq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
});

export const eventBodies: Readonly<Record<string, TSchema>> = {
  'application/json': Type.Union([Event, Batch]),
  /** One event a line. */
  'application/x-ndjson': Type.String(),
  'application/cloudevents+json': CloudEvent,
  'application/cloudevents-batch+json': Type.Array(CloudEvent, { minItems: 1, maxItems: 1000 }),
};
