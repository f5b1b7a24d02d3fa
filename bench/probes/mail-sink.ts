/** Stands in for a mail server: takes every mail and drops it. `GET /` on PORT says where. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const sink = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  onData(stream, _session, done) {
    stream.on('end', () => done(null, 'OK'));
    stream.resume();
  },
});
sink.on('error', () => undefined);
sink.listen(0, '127.0.0.1', () => {
  const { port } = sink.server.address() as AddressInfo;
  http.createServer((_request, response) => response.end(String(port))).listen(Number(process.env.PORT), '127.0.0.1');
});
process.on('SIGTERM', () => process.exit(0));
