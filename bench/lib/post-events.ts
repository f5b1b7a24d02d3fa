/** Posts prepared events in order over one connection, in batches; what the benches that are not about intake use. */
import type { Event } from '@carillon/contract/event.ts';
import { HttpConnection, requestHead } from './http-connection.ts';

const batch = 1000;
const attemptsMax = 60;
const retryMs = 500;

/** Rejects when an event is not accepted; waits where the server asks for patience. Answers how many were sent. */
export async function postEvents(
  port: number,
  token: string,
  events: AsyncIterable<Event> | Iterable<Event>,
): Promise<number> {
  const connection = await HttpConnection.open(port);
  const head = requestHead('POST', '/v1/events', {
    'content-type': 'application/x-ndjson',
    authorization: `Bearer ${token}`,
  });
  let lines: string[] = [];
  let sent = 0;
  const flush = async (): Promise<void> => {
    await postBatch(connection, head, Buffer.from(`${lines.join('\n')}\n`));
    sent += lines.length;
    lines = [];
  };
  for await (const event of events) {
    lines.push(JSON.stringify(event));
    if (lines.length === batch) await flush();
  }
  if (lines.length > 0) await flush();
  connection.close();
  return sent;
}

async function postBatch(connection: HttpConnection, head: string, body: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await connection.send(head, body);
    if (answer.status === 202 && !answer.body.includes('"rejected"')) return;
    const mayRetry = answer.status === 429 || answer.status === 503;
    if (!mayRetry || attempt === attemptsMax) {
      const at = Math.max(0, answer.body.indexOf('"rejected"') - 80);
      throw new Error(`events refused: ${answer.status} ${answer.body.toString('utf8', at, at + 400)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
