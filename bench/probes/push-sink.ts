/** Stands in for Apple's push service: HTTP/2 without TLS, reads each push and answers 200. `GET /` on PORT says where. */
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';

const sink = http2.createServer({ settings: { maxConcurrentStreams: 1000 } });
sink.on('stream', (stream: http2.ServerHttp2Stream) => {
  stream.on('error', () => undefined);
  stream.on('data', () => undefined);
  stream.on('end', () => stream.respond({ ':status': 200, 'apns-id': 'x' }, { endStream: true }));
});
sink.listen(0, '127.0.0.1', () => {
  const { port } = sink.address() as AddressInfo;
  http.createServer((_request, response) => response.end(String(port))).listen(Number(process.env.PORT), '127.0.0.1');
});
process.on('SIGTERM', () => process.exit(0));
