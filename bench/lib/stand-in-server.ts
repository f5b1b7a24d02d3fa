/**
 * The smallest server that speaks the API the benches use: tokens, NDJSON events, `changes` frames, pages of rows. The
 * harness is tested against it, with faults it must notice: FAULT=lose|double misdelivers one event in a thousand,
 * `busy` refuses every other post for overload and takes nothing of it, `closed` refuses them all.
 */
import http from 'node:http';
import type { ActedEvent } from '@carillon/contract/event.ts';
import { type WebSocket, WebSocketServer } from 'ws';

interface Row {
  id: string;
  type: string;
  createdAt: string;
  actors: readonly ActedEvent['actor'][];
  actorCount: number;
  readonly actorCountIsEstimate: boolean;
  object: ActedEvent['object'];
}

const dayMs = 86_400_000;
const fault = process.env.FAULT ?? 'none';
const sockets = new Map<string, WebSocket>();
const inboxes = new Map<string, Row[]>();
/** When an actor last counted for an object, and the open row of an object. */
const counted = new Map<string, number>();
const openRows = new Map<string, Row>();
let events = 0;

function bodyOf(request: http.IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => resolve(text));
  });
}

function rowOf(event: ActedEvent, user: string): Row {
  const timeMs = Date.parse(event.time);
  const meaning = `${event.actor.id} ${event.type} ${event.object.id}`;
  const open = openRows.get(event.object.id);
  const isRepeat = timeMs - (counted.get(meaning) ?? Number.NEGATIVE_INFINITY) < dayMs;
  if (open !== undefined && isRepeat) return open;
  counted.set(meaning, timeMs);
  if (open !== undefined && timeMs - Date.parse(open.createdAt) < dayMs) {
    open.actorCount++;
    return open;
  }
  const { type, time, object, id } = event;
  const row: Row = {
    id,
    type,
    createdAt: time,
    actors: [event.actor],
    actorCount: 1,
    actorCountIsEstimate: false,
    object,
  };
  openRows.set(object.id, row);
  inboxes.set(user, [row, ...(inboxes.get(user) ?? [])]);
  return row;
}

function take(event: ActedEvent, frames: Map<string, Map<string, Row>>): void {
  if (events++ % 1000 === 999 && fault === 'lose') return;
  const user = 'user' in event.to ? event.to.user : '';
  if (user === event.actor.id) return;
  const rows = frames.get(user) ?? new Map<string, Row>();
  const row = rowOf(event, user);
  frames.set(user, rows.set(event.object.id, row));
  if (events % 1000 === 0 && fault === 'double') rows.set('again', row);
}

let posts = 0;
const isOverloaded = (): boolean => fault === 'closed' || (fault === 'busy' && posts++ % 2 === 0);

function takeAll(text: string): string {
  const frames = new Map<string, Map<string, Row>>();
  const lines = text.split('\n').filter(Boolean);
  if (isOverloaded()) {
    const error = { code: 'CARILLON_OVERLOADED', path: '', detail: 'Busy.' };
    return JSON.stringify({ results: lines.map(() => ({ status: 'rejected', error })) });
  }
  for (const line of lines) take(JSON.parse(line), frames);
  for (const [user, rows] of frames) {
    sockets
      .get(user)
      ?.send(JSON.stringify({ kind: 'changes', items: [...rows.values()], removed: [], revision: events }));
  }
  return JSON.stringify({ results: lines.map(() => ({ status: 'accepted' })) });
}

function page(url: URL, user: string): string {
  const type = url.searchParams.get('type');
  const limit = Number(url.searchParams.get('limit'));
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const rows = (inboxes.get(user) ?? []).filter((row) => type === null || row.type === type);
  const nextCursor = from + limit < rows.length ? String(from + limit) : null;
  return JSON.stringify({ items: rows.slice(from, from + limit), nextCursor, counts: { revision: events } });
}

const server = http.createServer(async (request, response) => {
  const text = await bodyOf(request);
  const url = new URL(request.url ?? '/', 'http://localhost');
  const user = request.headers.authorization?.slice('Bearer '.length) ?? '';
  if (url.pathname === '/readyz') response.end('ok');
  // Whatever it has answered for is applied.
  else if (url.pathname === '/metrics') response.end('carillon_lag_bytes{lane="social"} 0\n');
  else if (url.pathname === '/v1/dev/token')
    response.end(JSON.stringify({ token: JSON.parse(text).user ?? 'producer' }));
  else if (url.pathname === '/v1/notifications') response.end(page(url, user));
  else {
    response.statusCode = 202;
    response.end(takeAll(text));
  }
});
const gateway = new WebSocketServer({ server, handleProtocols: () => 'carillon.v1', perMessageDeflate: false });
gateway.on('connection', (socket, request) => {
  const user = /bearer\.([^,\s]+)/.exec(request.headers['sec-websocket-protocol'] ?? '')?.[1] ?? '';
  sockets.set(user, socket);
  socket.send(JSON.stringify({ kind: 'hello', user, revision: 0 }));
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
