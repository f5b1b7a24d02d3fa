/**
 * WebSocket on an HTTP server: only `GET /v1/stream` is upgraded, and a refusal is an ordinary problem document (V33).
 * Requests that merely offer another protocol (`Upgrade: h2c`) are answered as if they had not.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CarillonError } from '../base/carillon-error.ts';
import type { Random } from '../base/random.ts';
import type { Gateway } from '../deliver/realtime/gateway.ts';
import { StreamUpgrades } from '../deliver/realtime/stream-upgrades.ts';
import { problemAnswer, toCarillonError } from './problem.ts';

/** Answers how to detach it again; open streams stay. */
export function attachStream(server: Server, gateway: Gateway, random: Random): () => void {
  const upgrades = new StreamUpgrades(gateway);
  const listener = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // The HTTP server has let go of the socket: an error nobody listens for would end the process.
    socket.on('error', ignore);
    upgrade(upgrades, request, socket as Socket, head).then(
      () => socket.off('error', ignore),
      (error: unknown) => refuse(socket, toCarillonError(error), `r_${random.hex(8)}`),
    );
  };
  (server as UpgradeServer).shouldUpgradeCallback = (request) => request.headers.upgrade?.toLowerCase() === 'websocket';
  server.on('upgrade', listener);
  return () => server.off('upgrade', listener);
}

/** Of Node 24.9 and later, not in its types yet. */
interface UpgradeServer extends Server {
  shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

async function upgrade(
  upgrades: StreamUpgrades,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const url = URL.parse(request.url ?? '', 'http://stream');
  if (url?.pathname !== '/v1/stream') {
    throw new CarillonError('CARILLON_ROUTE_UNKNOWN', 'Only /v1/stream takes WebSockets.');
  }
  await upgrades.upgrade({ request, socket, head, query: url.searchParams });
}

function refuse(socket: Duplex, error: CarillonError, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error, requestId);
  const fields = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
}

function ignore(): void {}
