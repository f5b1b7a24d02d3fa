/**
 * Stands in for push services: HTTP/2 that reads each push and answers 200, without TLS, and with it where KEY and CERT are
 * given. `GET /` on PORT says where they are: two ports.
 */
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';

const settings = { maxConcurrentStreams: 1000 };
const { KEY: key = '', CERT: cert = '' } = process.env;
const sinks = [http2.createServer({ settings }), http2.createSecureServer({ settings, key, cert })];
for (const sink of sinks) {
  sink.on('stream', (stream: http2.ServerHttp2Stream) => {
    stream.on('error', () => undefined);
    stream.on('data', () => undefined);
    stream.on('end', () => stream.respond({ ':status': 200, 'apns-id': 'x' }, { endStream: true }));
  });
  await new Promise<void>((resolve) => void sink.listen(0, '127.0.0.1', resolve));
}
const ports = sinks.map((sink) => (sink.address() as AddressInfo).port);
http.createServer((_request, response) => response.end(ports.join(' '))).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
