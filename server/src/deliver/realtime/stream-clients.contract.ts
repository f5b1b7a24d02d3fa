/** Small clients for tests, one per transport, that take in frames the way the documented client must. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import { WebSocket } from 'ws';
import type { OpenStream, StreamClient, StreamHost, StreamOpening } from './stream-world.contract.ts';

export class RefusedError extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];

  constructor(response: IncomingMessage, body: string) {
    super(`refused with ${response.statusCode}: ${body}`);
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.body = body;
  }
}

export interface WebSocketClient extends StreamClient {
  readonly ws: WebSocket;
}

export const openWebSocket = async (host: StreamHost, opening: StreamOpening): Promise<WebSocketClient> => {
  const protocols = opening.token === '' ? ['carillon.v1'] : ['carillon.v1', `bearer.${opening.token}`];
  const url = streamUrl(host, '/v1/stream', opening, opening.since);
  const ws = new WebSocket(url.replace('http', 'ws'), protocols, { headers: { ...opening.headers } });
  const client: WebSocketClient = {
    ws,
    frames: [],
    position: opening.since,
    ended: null,
    kill: () => ws.terminate(),
  };
  ws.on('message', (data) => take(client, JSON.parse(String(data)) as ServerFrame));
  ws.on('close', (code) => {
    client.ended = { code };
  });
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
    ws.once('unexpected-response', (_request, response) => refused(response).then(reject, reject));
  });
  return client;
};

export interface SseClient extends StreamClient {
  readonly response: IncomingMessage;
  /** Everything as it came. */
  text: string;
  /** Every `id` in order. */
  readonly ids: number[];
}

export const openSse = async (host: StreamHost, opening: StreamOpening): Promise<SseClient> => {
  const lastEventId = opening.since === null ? {} : { 'last-event-id': String(opening.since) };
  const headers = { accept: 'text/event-stream', ...bearer(opening), ...lastEventId, ...opening.headers };
  const outgoing = request(streamUrl(host, '/v1/stream', opening, null), { headers, agent: false });
  const response = await answered(outgoing);
  if (response.statusCode !== 200) throw await refused(response);
  const client: SseClient = {
    response,
    text: '',
    ids: [],
    frames: [],
    position: opening.since,
    ended: null,
    kill: () => outgoing.destroy(),
  };
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    client.text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) takeEvent(client, block);
  });
  response.on('error', () => {});
  response.on('close', () => {
    const bye = client.frames.find((frame) => frame.kind === 'bye');
    client.ended = { code: bye?.kind === 'bye' ? bye.code : 0 };
  });
  return client;
};

/** Polls again and again until it is killed or refused; resolves when the first poll is under way. */
export const openPolls: OpenStream = async (host, opening) => {
  let stopped = false;
  let outgoing: ClientRequest | null = null;
  let marksVersion: number | null = null;
  const client: StreamClient = {
    frames: [],
    position: opening.since,
    ended: null,
    kill: () => {
      stopped = true;
      outgoing?.destroy();
    },
  };
  const poll = async (): Promise<void> => {
    const url = new URL(streamUrl(host, '/v1/stream/poll', opening, client.position));
    if (marksVersion !== null) url.searchParams.set('marksVersion', String(marksVersion));
    outgoing = request(url, { headers: { ...bearer(opening), ...opening.headers }, agent: false });
    const response = await answered(outgoing);
    if (response.statusCode !== 200) throw await refused(response);
    const body = await bodyOf(response);
    if (stopped) return;
    const frame = JSON.parse(body) as ServerFrame;
    take(client, frame, true);
    if (frame.kind === 'hello' || frame.kind === 'marks') marksVersion = frame.counts.marksVersion;
  };
  const pollOn = async (first: Promise<void>): Promise<void> => {
    await first;
    while (!stopped) await poll();
  };
  let answeredOnce = false;
  const first = poll().finally(() => {
    answeredOnce = true;
  });
  pollOn(first).catch((error: unknown) => {
    client.ended = { code: error instanceof RefusedError ? error.status : 0 };
  });
  await host.accepted(opening.token, () => answeredOnce);
  if (answeredOnce) await first;
  return client;
};

/** Where a client stands after a frame: a `hello` counts only for one that had no position, or has been told to reload. */
function take(client: StreamClient, frame: ServerFrame, isPoll = false): void {
  client.frames.push(frame);
  if (frame.kind === 'changes') client.position = frame.revision;
  else if (frame.kind === 'hello' && client.position === null) client.position = frame.revision;
  // A poll's `resync` comes without hello: the client loads the inbox, which has its revision.
  else if (frame.kind === 'resync' && isPoll) client.position = null;
}

function takeEvent(client: SseClient, block: string): void {
  const fields = new Map(
    block
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const id = fields.get('id');
  if (id !== undefined) {
    client.position = Number(id);
    client.ids.push(Number(id));
  }
  const data = fields.get('data');
  if (data === undefined) return;
  const frame = JSON.parse(data) as ServerFrame;
  if (frame.kind !== fields.get('event')) throw new Error(`event ${fields.get('event')} carries ${frame.kind}`);
  client.frames.push(frame);
}

function streamUrl(host: StreamHost, path: string, opening: StreamOpening, since: number | null): string {
  const url = new URL(path, host.origin);
  if (since !== null) url.searchParams.set('since', String(since));
  for (const [name, value] of Object.entries(opening.query ?? {})) url.searchParams.set(name, value);
  return url.href;
}

function bearer({ token }: StreamOpening): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

function answered(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk;
  return body;
}

async function refused(response: IncomingMessage): Promise<RefusedError> {
  return new RefusedError(response, await bodyOf(response));
}
