/** A mail server for tests, over real sockets: takes mails as it is told to, and keeps what it took. */
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface SunkMail {
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
  readonly whole: ParsedMail;
}

export class MailSink {
  readonly mails: SunkMail[] = [];
  /** Asked of every recipient: null takes the mail, else the reply. */
  answer: (to: string) => [code: number, text: string] | null = () => null;
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, done) => {
        const reply = this.answer(address);
        done(reply === null ? null : Object.assign(new Error(reply[1]), { responseCode: reply[0] }));
      },
      onData: (stream, session, done) => {
        void simpleParser(stream).then((whole) => {
          const { subject = '', messageId = '' } = whole;
          for (const { address: to } of session.envelope.rcptTo) this.mails.push({ to, subject, messageId, whole });
          done(null, 'OK');
        });
      },
    });
    this.#server.on('error', () => {});
  }

  static async open(): Promise<MailSink> {
    const sink = new MailSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  /** As the service is configured to send here. */
  get config(): object {
    const { port } = this.#server.server.address() as AddressInfo;
    return {
      providers: ['smtp'],
      from: 'Carillon <notify@app.test>',
      secret: 'mails of tests are made with this secret',
      publicUrl: 'https://notify.app.test',
      smtp: { host: '127.0.0.1', port, tls: 'off' },
    };
  }

  to(address: string): readonly SunkMail[] {
    return this.mails.filter(({ to }) => to === address);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
