/**
 * Raw limit of the gateway: upgraded sockets without any library, and `POST /blast?bytes=&ms=` that writes one ready
 * frame to each of them in turn, waiting only where a socket's buffer is full.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import type net from 'node:net';
import { serverFrame } from '../lib/frame-reader.ts';

const sockets: net.Socket[] = [];
const bufferBytesMax = 256 * 1024;
const acceptKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Any first text frame tells the client that it is connected. */
const hello = serverFrame(Buffer.from('{"kind":"hello"}'));

function blast(bytes: number, ms: number): Promise<{ frames: number; seconds: number }> {
  const frame = serverFrame(Buffer.alloc(bytes, 120));
  const began = performance.now();
  let frames = 0;
  return new Promise((resolve) => {
    const turn = (): void => {
      for (const socket of sockets) {
        if (socket.writableLength > bufferBytesMax) continue;
        socket.write(frame);
        frames++;
      }
      if (performance.now() - began < ms) setImmediate(turn);
      else drained(() => resolve({ frames, seconds: (performance.now() - began) / 1000 }));
    };
    turn();
  });
}

function drained(done: () => void): void {
  if (sockets.some((socket) => socket.writableLength > 0)) setImmediate(drained, done);
  else done();
}

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [bytes, ms] = [Number(url.searchParams.get('bytes')), Number(url.searchParams.get('ms'))];
  const report = url.pathname === '/blast' ? await blast(bytes, ms) : { frames: 0, seconds: 0 };
  response.end(JSON.stringify(report));
});
server.on('upgrade', (request, socket: net.Socket) => {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${acceptKey}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
  socket.write(hello);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.resume();
  sockets.push(socket);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
