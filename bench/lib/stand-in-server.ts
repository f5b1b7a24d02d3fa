/**
 * The smallest server that speaks the API the driver uses: tokens, NDJSON events, `changes` frames. The harness is
 * tested against it, with faults it must notice: PORT, and FAULT=lose|double to misdeliver one event in a thousand.
 */
import http from 'node:http';
import type { Event } from '@carillon/contract/event.ts';
import { type WebSocket, WebSocketServer } from 'ws';

const fault = process.env.FAULT ?? 'none';
const sockets = new Map<string, WebSocket>();
const groups = new Map<string, Set<string>>();
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

function itemOf(event: Event): unknown {
  const isGroup = event.type === 'post.reposted';
  const members = groups.get(event.object.id) ?? new Set<string>();
  if (isGroup) groups.set(event.object.id, members.add(event.actor.id));
  return { id: `n_${event.id}`, actors: [event.actor], actorCount: isGroup ? members.size : 1, object: event.object };
}

function take(event: Event, frames: Map<string, Map<string, unknown>>): void {
  if (events++ % 1000 === 999 && fault === 'lose') return;
  const user = 'user' in event.to ? event.to.user : '';
  const items = frames.get(user) ?? new Map<string, unknown>();
  frames.set(user, items.set(event.object.id, itemOf(event)));
  if (events % 1000 === 0 && fault === 'double') items.set('again', itemOf({ ...event, id: 'again' }));
}

const server = http.createServer(async (request, response) => {
  const text = await bodyOf(request);
  if (request.url === '/readyz') response.end('ok');
  else if (request.url === '/v1/dev/token')
    response.end(JSON.stringify({ token: JSON.parse(text).user ?? 'producer' }));
  else {
    const frames = new Map<string, Map<string, unknown>>();
    const lines = text.split('\n').filter(Boolean);
    for (const line of lines) take(JSON.parse(line), frames);
    response.statusCode = 202;
    response.end(JSON.stringify({ results: lines.map(() => ({ status: 'accepted' })) }));
    for (const [user, items] of frames) {
      sockets
        .get(user)
        ?.send(JSON.stringify({ kind: 'changes', items: [...items.values()], removed: [], revision: 1 }));
    }
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
