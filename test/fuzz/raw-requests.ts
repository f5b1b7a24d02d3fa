/** Bytes that are no proper HTTP. Each must be refused with a 4xx or a closed connection, never a 5xx or silence. */
import { connect } from 'node:net';

const waitMs = 5_000;

const head = 'GET /livez HTTP/1.1\r\nHost: x\r\n';

const cases: Readonly<Record<string, string | Buffer>> = {
  'no HTTP at all': 'hello\r\n\r\n',
  'HTTP/0.9': 'GET /livez\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS greeting': Buffer.from('16030100c8010000c40303', 'hex'),
  'an unknown method': 'BREW /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  'no host': 'GET /livez HTTP/1.1\r\n\r\n',
  'NUL in a header': `${head}X-A: a\0b\r\n\r\n`,
  'bytes above ASCII in the path': Buffer.from('GET /v1/notifications/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'),
  'a header without colon': `${head}nonsense\r\n\r\n`,
  'a folded header': `${head}X-A: a\r\n b\r\n\r\n`,
  'headers too large': `${head}X-A: ${'a'.repeat(100_000)}\r\n\r\n`,
  'too many headers': `${head}${Array.from({ length: 3_000 }, (_, at) => `X-${at}: a\r\n`).join('')}\r\n`,
  'a URL too long': `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'an absolute URL': 'GET http://evil.test/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'two lengths': 'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'length and chunks':
    'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a length that is no number': 'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
  'a broken chunk': 'POST /v1/events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  CONNECT: 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n',
  TRACE: 'TRACE /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a WebSocket elsewhere': `${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
};

/** What the server did wrong, one line each. */
export async function rawFaults(origin: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, bytes] of Object.entries(cases)) {
    const answer = await exchange(origin, bytes);
    const status =
      answer === null ? null : Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (answer === '' ? 0 : Number.NaN));
    if (status === null) faults.push(`${name}: neither an answer nor an end within ${waitMs} ms`);
    else if (Number.isNaN(status) || status >= 500) faults.push(`${name}: ${answer?.slice(0, 200)}`);
  }
  const alive = await fetch(`${origin}/livez`).catch(() => null);
  if (alive?.status !== 200) faults.push('the server does not answer any more');
  return faults;
}

/** The first bytes that come back, empty if the connection just closed; null if nothing happened in time. */
function exchange(origin: string, bytes: string | Buffer): Promise<string | null> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const end = (answer: string | null): void => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(waitMs, () => end(null));
    socket.on('data', (data) => end(data.toString('latin1')));
    socket.on('close', () => end(''));
    socket.on('error', () => end(''));
  });
}
