/** Carillon as a producer and a recipient's client see it: NDJSON batches in, `changes` frames out. */
import { traceName } from '../../scripts/trace/first-names.ts';
import { HttpConnection, requestHead } from '../lib/http-connection.ts';
import { dateMark, lapMark, type PlanEvent } from './plan.ts';
import type { Tally } from './tally.ts';
import { digitsAt, type SocketOpening, type Target } from './target.ts';

const source = 'bench';
const types = { RT: 'post.reposted', MT: 'mention.created', RE: 'reply.created' } as const;
const objectNeedle = Buffer.from('"id":"zq');
const countNeedle = Buffer.from('"actorCount":');
const rejectedNeedle = Buffer.from('"rejected"');
const changesNeedle = Buffer.from('"kind":"changes"');
const pingNeedle = Buffer.from('"kind":"ping"');
const helloNeedle = Buffer.from('"kind":"hello"');
/** Every so many frames one is parsed as JSON and compared with the scan. */
const checkEvery = 997;

let frames = 0;

export const carillonTarget: Target = {
  eventsPath: '/v1/events',
  contentType: 'application/x-ndjson',
  event: (event, recipient) => JSON.stringify(carillonEvent(event, recipient)),
  body: (events) => `${events.join('\n')}\n`,
  postHeaders: async (port) => ({ authorization: `Bearer ${(await devTokens(port, [{ source }]))[0]}` }),
  tellsRepeats: false,
  usersPerSocket: () => 1,
  openings: async (port, sets) => {
    const tokens = await devTokens(
      port,
      sets.map((users) => ({ user: users[0] ?? '' })),
    );
    return tokens.map(opening);
  },
  message: readMessage,
  isReady: (payload) => payload.includes(helloNeedle),
  isAccepted: (status, body) => status === 202 && !body.includes(rejectedNeedle),
};

/** The same load as of now, all of it: what is as old as the trace is not worth a push any more. */
export const carillonNowTarget: Target = {
  ...carillonTarget,
  event: (event, recipient) => JSON.stringify({ ...carillonEvent(event, recipient), time: new Date().toISOString() }),
};

function carillonEvent(event: PlanEvent, recipient: string): object {
  const time = `${dateMark}${new Date(event.timeMs).toISOString().slice(10)}`;
  const name = traceName(event.actor);
  const stands = { id: event.objectId, title: 'What we saw when the two beams met', url: `/p/${event.seq}` };
  const post = { kind: 'post', owner: event.kind === 'RT' ? recipient : event.actor, ...stands };
  const reply = { kind: 'comment', owner: event.actor, ...stands, parent: { kind: 'post', id: `p-${recipient}` } };
  return {
    id: `b${lapMark}-${event.seq}`,
    source,
    type: types[event.kind],
    time,
    actor: { id: event.actor, name, avatar: `https://app.example/a/${event.actor}.png` },
    object: event.kind === 'RE' ? reply : post,
    to: { user: recipient },
    data: {},
  };
}

const opening = (token: string): SocketOpening => ({
  path: '/v1/stream',
  headers: { 'sec-websocket-protocol': `carillon.v1, bearer.${token}` },
  first: null,
});

/** Tokens of the development mode; a pool of connections, for 15,000 of them are wanted at once. */
export async function devTokens(port: number, claims: readonly Record<string, string>[]): Promise<string[]> {
  const tokens: string[] = new Array(claims.length);
  let next = 0;
  const head = requestHead('POST', '/v1/dev/token', { 'content-type': 'application/json' });
  const work = async (): Promise<void> => {
    const connection = await HttpConnection.open(port);
    while (next < claims.length) {
      const at = next++;
      const answer = await connection.send(head, Buffer.from(JSON.stringify(claims[at])));
      if (answer.status >= 300) throw new Error(`no token: ${answer.status} ${answer.body.toString()}`);
      tokens[at] = JSON.parse(answer.body.toString()).token;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: Math.min(8, claims.length) }, work));
  return tokens;
}

/** Each item has one object of ours and one count of people, in whatever order: the n-th belongs to the n-th. */
function readMessage(payload: Buffer, tally: Tally, reply: (text: string) => void): void {
  if (payload.length < 64 && payload.includes(pingNeedle)) {
    reply('{"kind":"pong"}');
    return;
  }
  if (!payload.includes(changesNeedle)) return;
  tally.frames++;
  tally.frameBytes += payload.length;
  const check = frames++ % checkEvery === 0 ? itemsOf(payload) : null;
  let count = payload.indexOf(countNeedle);
  let items = 0;
  for (let at = payload.indexOf(objectNeedle); at >= 0; at = payload.indexOf(objectNeedle, at + 8)) {
    if (count < 0) throw new Error('a frame has an item without actorCount');
    const people = digitsAt(payload, count + countNeedle.length);
    const isGroup = payload[at + 8] === 103;
    const lap = digitsAt(payload, at + 9);
    const index = digitsAt(payload, at + 14);
    if (check !== null) compare(check[items], isGroup, [lap, index, people]);
    if (isGroup) tally.group(lap, index, people);
    else tally.event(lap, index);
    items++;
    count = payload.indexOf(countNeedle, count + countNeedle.length);
  }
  if (check !== null && items !== check.length) throw new Error('the scan misses items of a frame');
}

interface ScannedItem {
  readonly object: { readonly id: string };
  readonly actorCount: number;
}

const itemsOf = (payload: Buffer): ScannedItem[] => JSON.parse(payload.toString()).items;

function compare(item: ScannedItem | undefined, isGroup: boolean, found: readonly [number, number, number]): void {
  const id = `zq${isGroup ? 'g' : 'e'}${String(found[0]).padStart(4, '0')}-${found[1]}`;
  if (item?.object.id !== id || item.actorCount !== found[2]) {
    throw new Error(`the scan reads ${id} ×${found[2]} where the frame says ${JSON.stringify(item)}`);
  }
}
