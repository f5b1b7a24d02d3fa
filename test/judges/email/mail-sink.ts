/** The last server of a mail's way: keeps what arrives, and answers recipients as told. */
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: Buffer;
  readonly mail: ParsedMail;
}

export interface MailSink {
  readonly port: number;
  readonly arrived: readonly Arrived[];
  /** By recipient: code and text of the reply to RCPT. */
  readonly refuse: Map<string, readonly [code: number, text: string]>;
  /** The first that fits, when it comes. */
  next(fits: (mail: Arrived) => boolean): Promise<Arrived>;
  stop(): Promise<void>;
}

export async function openMailSink(): Promise<MailSink> {
  const arrived: Arrived[] = [];
  const refuse = new Map<string, readonly [number, string]>();
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const reply = refuse.get(address);
      done(reply === undefined ? null : Object.assign(new Error(reply[1]), { responseCode: reply[0] }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const bytes = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        arrived.push({ from, to: rcptTo.map(({ address }) => address), bytes, mail: await simpleParser(bytes) });
        for (const look of waiting) look();
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    arrived,
    refuse,
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = arrived.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
