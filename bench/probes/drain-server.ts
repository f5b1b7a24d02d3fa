/** Raw limit of HTTP intake: `node:http` that reads a body to its end and answers 202. */
import http from 'node:http';

const answer = Buffer.from('{"results":[]}');
const server = http.createServer((request, response) => {
  request.on('data', () => undefined);
  request.on('end', () => {
    response.writeHead(request.method === 'POST' ? 202 : 200, { 'content-length': answer.length });
    response.end(answer);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
