/** A process that takes mail by SMTP, failing by plan: before a mail is sent, after it was taken, and by policy for a while. */
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { systemClock } from '../../server/src/base/clock.ts';
import { pause } from '../crash/crashing-server.ts';
import { PlannedProvider, readSettings } from './planned-provider.ts';
import type { Did } from './seen-send.ts';
import { eventIn } from './soak-plan.ts';
import { envelopeWeather, mailWeather } from './weather.ts';

interface Mail {
  readonly endpoint: string;
  readonly atMs: number;
  readonly event: string | null;
  readonly id: string | null;
}

type Done = (error?: Error | null, message?: string) => void;

const replies: Readonly<Partial<Record<Did, readonly [code: number, text: string]>>> = {
  block: [550, '5.7.1 not by our policy'],
  gone: [550, '5.1.1 no such user'],
  refuse: [554, '5.6.0 not such a mail'],
  retry: [451, '4.3.0 not now'],
};

const provider = new PlannedProvider(readSettings());
let envelopes = 0;
const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onRcptTo: ({ address }, session, done) => onRecipient(address, session, done),
  onData: (stream, session, done) => void onMail(stream, session, done),
});
server.on('error', () => {});
await new Promise<void>((resolve) => void server.listen(provider.settings.port, '127.0.0.1', resolve));
await provider.serve((ms) => {
  provider.awayUntilMs = systemClock.now() + ms;
});
process.exit(0);

/** Who is dead is known before the mail comes. */
function onRecipient(endpoint: string, session: SMTPServerSession, done: Done): void {
  const mail = { endpoint, atMs: systemClock.now(), event: null, id: null };
  const did = didAtOnce(endpoint);
  if (did === null) {
    done();
  } else if (did !== 'cut') {
    refuse(mail, did, done);
  } else {
    note(mail, did, false);
    // Every other one says why, which closes the connection too.
    if (envelopes % 2 === 0) done(reply(421, '4.3.2 going down'));
    else hangUp(session);
  }
}

/** Null: the mail may come. */
function didAtOnce(endpoint: string): Did | null {
  if (systemClock.now() < provider.awayUntilMs) return 'block';
  const kind = provider.kindOf(endpoint);
  if (kind === undefined || kind === 'dead') return 'gone';
  return provider.treat(endpoint, `envelope ${++envelopes}`, envelopeWeather)?.kind === 'cut' ? 'cut' : null;
}

async function onMail(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
  const atMs = systemClock.now();
  const parts: Buffer[] = [];
  try {
    for await (const part of stream) parts.push(part as Buffer);
  } catch {
    // Whoever sent it died in the middle: nothing was taken.
    return;
  }
  // Soft line breaks of quoted-printable may fall anywhere.
  const text = Buffer.concat(parts).toString().replaceAll('=\r\n', '');
  const id = /^message-id:\s*(\S+)/im.exec(text)?.[1] ?? null;
  const mail = { endpoint: session.envelope.rcptTo[0]?.address ?? '', atMs, event: eventIn(text), id };
  const treatment = provider.treat(mail.endpoint, id ?? '', mailWeather);
  if (treatment?.kind !== 'take') {
    refuse(mail, treatment?.kind === 'refuse' ? 'refuse' : 'retry', done);
  } else if (treatment.isAnswered) {
    if (treatment.delayMs > 0) await pause(treatment.delayMs);
    done(null, `OK: queued as ${mail.event}`);
    note(mail, 'take', true);
  } else {
    note(mail, 'take', false);
    hangUp(session);
  }
}

function refuse(mail: Mail, did: Did, done: Done): void {
  done(reply(...(replies[did] as [number, string])));
  note(mail, did, true);
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function hangUp({ id }: SMTPServerSession): void {
  for (const connection of server.connections) if (connection.id === id) connection.close();
}

function note(mail: Mail, did: Did, isAnswered: boolean): void {
  const givenId = did === 'take' && isAnswered ? mail.event : null;
  const common = { channel: 'email', endedAtMs: systemClock.now(), afterMs: null } as const;
  provider.note({ ...common, ...mail, givenId, did, isAnswered });
}
