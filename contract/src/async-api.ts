/**
 * The AsyncAPI 3 document of the stream (A7), from the schemas that validate its frames.
 * `send` and `receive` are the server's: it sends what a client receives.
 */
import type { TSchema } from 'typebox';
import { closeCodes } from './close-codes.ts';
import { components } from './components.ts';
import { type JsonObject, schemaNames } from './schema-document.ts';
import {
  AuthFrame,
  ByeFrame,
  ChangesFrame,
  HelloFrame,
  MarksFrame,
  PingFrame,
  PongFrame,
  ResyncFrame,
  VisibleFrame,
} from './stream.ts';

interface FrameText {
  readonly schema: TSchema;
  readonly summary: string;
}

const serverFrames: Readonly<Record<string, FrameText>> = {
  hello: { schema: HelloFrame, summary: 'First frame: the person, where their inbox stands, and the counts' },
  changes: { schema: ChangesFrame, summary: 'New, changed and removed rows, in order of revision' },
  marks: { schema: MarksFrame, summary: 'What was read, seen, archived or snoozed, on any device' },
  resync: { schema: ResyncFrame, summary: 'The revision is too old to continue from: load the inbox again' },
  ping: { schema: PingFrame, summary: 'Heartbeat; answer with `pong`' },
  bye: { schema: ByeFrame, summary: 'The server is about to close: the close code, and when to come back' },
};

const clientFrames: Readonly<Record<string, FrameText>> = {
  auth: { schema: AuthFrame, summary: 'First frame where the handshake carried no token; must come within 5 s' },
  visible: { schema: VisibleFrame, summary: 'Whether the person can see the page' },
  pong: { schema: PongFrame, summary: 'Answer to `ping`' },
};

const channelRef = '#/channels/stream';

export function asyncApi(version: string): JsonObject {
  const names = schemaNames(components, '#/components/schemas/');
  const frames = { ...serverFrames, ...clientFrames };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Carillon stream',
      version,
      description:
        'Live changes of one inbox over WebSocket. Server-Sent Events (same path) and long polling (/v1/stream/poll) carry the same frames.',
    },
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: '/v1/stream',
        title: 'Stream of one person',
        description:
          'The token travels as the subprotocol pair `carillon.v1, bearer.<token>`, as `?ticket=`, or in the first frame.',
        messages: refs(Object.keys(frames), '#/components/messages/'),
        bindings: { ws: { method: 'GET', query: handshakeQuery, bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      sendFrames: operation('send', 'Frames the server sends', serverFrames),
      receiveFrames: operation('receive', 'Frames the server takes', clientFrames),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries(frames).map(([name, frame]) => [
          name,
          { name, summary: frame.summary, payload: names.refer(frame.schema) },
        ]),
      ),
      schemas: names.all(),
    },
    'x-close-codes': { ...closeCodes },
  };
}

function operation(action: 'send' | 'receive', summary: string, frames: Readonly<Record<string, FrameText>>) {
  return {
    action,
    summary,
    channel: { $ref: channelRef },
    messages: Object.keys(frames).map((name) => ({ $ref: `${channelRef}/messages/${name}` })),
  };
}

function refs(keys: readonly string[], prefix: string): JsonObject {
  return Object.fromEntries(keys.map((name) => [name, { $ref: `${prefix}${name}` }]));
}

const handshakeQuery: JsonObject = {
  type: 'object',
  properties: {
    ticket: { type: 'string', description: 'Single use, from POST /v1/stream/ticket' },
    since: { type: 'integer', minimum: 0, description: 'Resume behind this revision' },
  },
};
