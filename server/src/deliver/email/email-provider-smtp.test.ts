import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { systemClock } from '../../base/clock.ts';
import type { Behaviour, ProviderWorld } from './email-provider.contract.ts';
import { emailProviderContract } from './email-provider.contract.ts';
import { classify, EmailProviderSmtp, type SmtpOptions } from './email-provider-smtp.ts';
import { testMessage } from './test-message.ts';

const usual: Omit<SmtpOptions, 'port'> = {
  host: '127.0.0.1',
  tls: 'off',
  login: null,
  heloName: null,
  returnPath: 'bounces@app.example',
  connections: 2,
  perSecond: null,
  dkim: null,
};

interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly mail: ParsedMail;
}

const replies: Readonly<Partial<Record<Behaviour, [code: number, text: string]>>> = {
  isBusy: [451, '4.3.0 not now'],
  throttles: [421, '4.7.28 too fast'],
  blocks: [550, '5.7.26 unauthenticated'],
  refuses: [554, '5.6.0 bad content'],
};

/** A server that takes mails over real sockets. */
async function smtpWorld(options: Partial<SmtpOptions> = {}): Promise<ProviderWorld & { readonly taken: Taken[] }> {
  let behaviour: Behaviour = 'accepts';
  const taken: Taken[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo(_address, _session, done) {
      const reply = replies[behaviour];
      done(reply === undefined ? null : Object.assign(new Error(reply[1]), { responseCode: reply[0] }));
    },
    onData(stream, session, done) {
      void simpleParser(stream).then((mail) => {
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          mail,
        });
        if (behaviour === 'losesAnswers') for (const each of server.connections) each.close();
        else done(null, 'OK: queued as q1');
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  let isStopped = false;
  return {
    provider: new EmailProviderSmtp({ ...usual, ...options, port }, systemClock),
    taken,
    behave: (next) => {
      behaviour = next;
    },
    received: () => taken.map(({ to, mail }) => ({ to, subject: mail.subject ?? '', messageId: mail.messageId ?? '' })),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

emailProviderContract('SMTP', smtpWorld);

test('V20: a mail has text and HTML, our headers, and bounces to the return path', async () => {
  const world = await smtpWorld();
  await world.provider.send(testMessage());
  const [{ from, mail } = {} as Taken] = world.taken;
  assert.equal(from, 'bounces@app.example');
  assert.equal(mail?.text, 'Ana & others\n');
  assert.match(String(mail?.html), /<p>Ana &amp; others<\/p>/);
  assert.equal(mail?.headers.get('auto-submitted'), 'auto-generated');
  assert.equal(mail?.from?.text, '"Carillon" <notify@app.example>');
  await world.provider.close();
  await world.stop();
});

test('BC-60: a server that says 421 and hangs up costs a connection, and no other mail', async () => {
  const world = await smtpWorld({ connections: 1 });
  const { provider } = world;
  assert.equal((await provider.send(testMessage())).kind, 'accepted');
  world.behave('throttles');
  assert.equal((await provider.send(testMessage())).kind, 'throttled');
  world.behave('accepts');
  const others = await Promise.all([1, 2, 3].map((at) => provider.send(testMessage({ to: `p${at}@people.example` }))));
  assert.deepEqual(
    others.map(({ kind }) => kind),
    ['accepted', 'accepted', 'accepted'],
  );
  assert.equal(world.taken.length, 4);
  await provider.close();
  await world.stop();
});

test('a connection that is lost before the text begins to leave has cost nothing', () => {
  assert.equal(classify({ code: 'ECONNECTION', response: undefined, hasBegun: false }).kind, 'retry');
  assert.equal(classify({ code: 'ETIMEDOUT', response: undefined, hasBegun: true }).kind, 'unknown');
  assert.equal(classify({ code: 'ESOCKET', response: undefined, hasBegun: true }).kind, 'unknown');
});

test('a log-in that fails, and a connection that cannot be encrypted, are ours to mend', () => {
  const ended = { response: undefined, hasBegun: false };
  assert.equal(classify({ ...ended, code: 'ETLS' }).kind, 'blocked');
  assert.equal(classify({ ...ended, code: 'EAUTH', response: '535 5.7.8 bad' }).kind, 'blocked');
  assert.equal(classify({ ...ended, code: 'EAUTH', response: '454 4.7.0 try later' }).kind, 'retry');
});

test('greylisting is tried again after a minute; nobody there is gone', () => {
  const reply = (response: string) => classify({ code: 'EENVELOPE', response, hasBegun: false });
  assert.deepEqual(reply('450 4.7.1 greylisted'), { kind: 'retry', code: '450 4.7.1', afterMs: 60_000 });
  assert.deepEqual(reply('550 5.1.1 unknown'), { kind: 'gone', code: '550 5.1.1', asOfMs: null });
});

test('check says what is wrong in words, and no secret', async () => {
  const world = await smtpWorld();
  assert.deepEqual(
    (await world.provider.check()).map(({ isGood }) => isGood),
    [true],
  );
  await world.stop();
  const [finding] = await world.provider.check();
  assert.equal(finding?.isGood, false);
  await world.provider.close();
});
