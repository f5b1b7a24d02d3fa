/**
 * A process that speaks as Apple's and Google's push services do (HTTP/2 over TLS), failing by plan. A connection ends by
 * GOAWAY after so many requests; what comes on it afterwards has not been looked at.
 */
import http2 from 'node:http2';
import { systemClock } from '../../server/src/base/clock.ts';
import { PlannedProvider, readSettings } from './planned-provider.ts';
import { answerTo, deliveryIn, type PushAnswer, type PushAsked, readAsked } from './push-protocol.ts';
import { eventIn } from './soak-plan.ts';
import { patientWeather, pushWeather, type Treatment } from './weather.ts';

const streamsMax = 500;
/** Of a proof that is too old to count. */
const longAgoMs = 3_600_000;
const accessToken = JSON.stringify({ access_token: 'soak', expires_in: 3600, token_type: 'Bearer' });

interface Push extends PushAsked {
  readonly stream: http2.ServerHttp2Stream;
  readonly atMs: number;
  readonly body: string;
  readonly delivery: string | null;
}

const provider = new PlannedProvider(readSettings());
const { port, key, certificate: cert, goawayEvery, isPatient } = provider.settings;
const sessions = new Set<http2.ServerHttp2Session>();
let taken = 0;
const server = http2.createSecureServer({
  key,
  cert,
  allowHTTP1: true,
  settings: { maxConcurrentStreams: streamsMax },
});
server.on('session', onSession);
server.on('sessionError', () => {});
// Google gives its access tokens over HTTP/1.1.
server.on('request', (request, response) => {
  if (request.httpVersionMajor === 1) response.end(accessToken);
});
await listen();
await provider.serve(goAway);
process.exit(0);

function onSession(session: http2.ServerHttp2Session): void {
  let count = 0;
  let last = Number.POSITIVE_INFINITY;
  sessions.add(session);
  session.on('close', () => sessions.delete(session));
  session.on('error', () => {});
  session.on('stream', (stream, headers) => {
    const id = stream.id ?? 0;
    stream.on('error', () => {});
    if (id > last) {
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    onStream(stream, headers);
    if (++count !== goawayEvery) return;
    last = id;
    session.goaway(0, last, Buffer.from('{"reason":"Shutdown"}'));
    stream.on('close', () => session.close());
  });
}

function onStream(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  stream.on('end', () => {
    // Whoever sent it died in the middle: nothing was taken.
    if (stream.aborted || stream.destroyed) return;
    const body = Buffer.concat(parts).toString();
    const asked = readAsked(headers[':path'] ?? '', headers, body);
    const isLetIn = /^bearer ./i.test(headers.authorization ?? '');
    if (asked === null || !isLetIn) stream.respond({ ':status': asked === null ? 404 : 403 }, { endStream: true });
    else onPush({ ...asked, stream, atMs: systemClock.now(), body, delivery: deliveryIn(body) });
  });
}

function onPush(push: Push): void {
  const { token, delivery, stream, protocol } = push;
  const weather = isPatient && protocol === 'apns' ? patientWeather : pushWeather;
  // To a token that is nobody's in the plan: the judge will see it.
  const treatment = provider.treat(token, delivery ?? '', weather) ?? { kind: 'refuse' };
  if (treatment.kind !== 'take') {
    answer(push, treatment);
  } else if (!treatment.isAnswered) {
    // Every other one just never answers.
    if (++taken % 2 === 0) stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    note(push, { did: 'take', givenId: null }, { isAnswered: false, afterMs: null });
  } else if (treatment.delayMs === 0) {
    answer(push, treatment);
  } else {
    systemClock.after(treatment.delayMs, () => answer(push, treatment));
  }
}

function answer(push: Push, treatment: Treatment): void {
  const { stream, token, delivery } = push;
  const isOldProof = treatment.kind === 'gone' && treatment.isOldProof;
  const goneSinceMs = isOldProof ? systemClock.now() - longAgoMs : provider.goneSinceMs(token, treatment.kind);
  const name = `projects/soak/messages/${delivery}`;
  const given = answerTo(push, { treatment, goneSinceMs, isPatient, name });
  const isAnswered = !stream.destroyed && !stream.closed;
  if (isAnswered) {
    stream.respond({ ':status': given.status, ...given.headers }, { endStream: given.body === '' });
    if (given.body !== '') stream.end(given.body);
  }
  // Apple names no time.
  const afterMs = treatment.kind === 'throttle' && push.protocol === 'fcm' ? treatment.afterMs : null;
  note(push, given, { isAnswered, afterMs });
}

function note(
  push: Push,
  { did, givenId }: Pick<PushAnswer, 'did' | 'givenId'>,
  rest: { isAnswered: boolean; afterMs: number | null },
): void {
  const { token: endpoint, delivery: id, atMs, body } = push;
  const endedAtMs = systemClock.now();
  provider.note({ channel: 'push', atMs, endedAtMs, endpoint, event: eventIn(body), id, givenId, did, ...rest });
}

/** Nobody answers, and what was under way is cut off. */
function goAway(ms: number): void {
  server.close();
  for (const session of sessions) session.destroy();
  systemClock.after(ms, () => void listen());
}

function listen(): Promise<void> {
  return new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
}
