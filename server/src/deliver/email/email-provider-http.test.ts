/** The providers behind HTTP APIs: what they send, and what they make of answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simpleParser } from 'mailparser';
import { systemClock } from '../../base/clock.ts';
import { type Behaviour, emailProviderContract, type ProviderWorld } from './email-provider.contract.ts';
import type { EmailProvider } from './email-provider.ts';
import { EmailProviderMailgun } from './email-provider-mailgun.ts';
import { EmailProviderSendgrid } from './email-provider-sendgrid.ts';
import { classify as classifySes, EmailProviderSes } from './email-provider-ses.ts';
import { type ApiAnswer, type ApiCall, apiServer } from './test-api-server.ts';
import { testMessage } from './test-message.ts';

type Received = ReturnType<ProviderWorld['received']>[number];

interface Api {
  readonly answers: Readonly<Record<Exclude<Behaviour, 'losesAnswers'>, ApiAnswer>>;
  read(call: ApiCall): Promise<Received>;
  open(url: string): EmailProvider;
}

function worldOf(api: Api): () => Promise<ProviderWorld & { calls: ApiCall[] }> {
  return async () => {
    let behaviour: Behaviour = 'accepts';
    const calls: ApiCall[] = [];
    const received: Received[] = [];
    const server = await apiServer(async (call) => {
      calls.push(call);
      if (behaviour === 'losesAnswers' || behaviour === 'accepts') received.push(await api.read(call));
      return behaviour === 'losesAnswers' ? null : api.answers[behaviour];
    });
    return {
      provider: api.open(server.url),
      calls,
      received: () => received,
      stop: server.stop,
      behave: (next) => {
        behaviour = next;
      },
    };
  };
}

const json = { 'content-type': 'application/json' };
const perSecond = null;

const sendgrid: Api = {
  answers: {
    accepts: { status: 202, headers: { 'x-message-id': 'sg1' } },
    isBusy: { status: 503 },
    throttles: { status: 429, headers: { 'x-ratelimit-reset': '9999999999' } },
    blocks: { status: 401 },
    refuses: { status: 400, headers: json, body: '{"errors":[]}' },
  },
  async read({ body }) {
    const { personalizations, subject, headers } = JSON.parse(body);
    const to = personalizations.flatMap((each: { to: { email: string }[] }) => each.to.map(({ email }) => email));
    return { to, subject, messageId: headers['Message-ID'] };
  },
  open: (baseUrl) => new EmailProviderSendgrid({ apiKey: 'SG.x', baseUrl, perSecond }, systemClock),
};

const mailgun: Api = {
  answers: {
    accepts: { status: 200, headers: json, body: '{"id":"<mg1@app.example>","message":"Queued."}' },
    isBusy: { status: 502 },
    throttles: { status: 429, headers: { 'retry-after': '7' } },
    blocks: { status: 403 },
    refuses: { status: 400 },
  },
  async read({ body }) {
    const fields = new URLSearchParams(body);
    return {
      to: fields.getAll('to'),
      subject: fields.get('subject') ?? '',
      messageId: fields.get('h:Message-Id') ?? '',
    };
  },
  open: (baseUrl) =>
    new EmailProviderMailgun({ apiKey: 'key', domain: 'mg.app.example', baseUrl, perSecond }, systemClock),
};

const sesError = (status: number, name: string, message = ''): ApiAnswer => ({
  status,
  headers: { ...json, 'x-amzn-errortype': name },
  body: JSON.stringify({ message }),
});
const ses: Api = {
  answers: {
    accepts: { status: 200, headers: json, body: '{"MessageId":"ses1"}' },
    isBusy: sesError(500, 'InternalFailure'),
    throttles: sesError(429, 'TooManyRequestsException'),
    blocks: sesError(400, 'MailFromDomainNotVerifiedException'),
    refuses: sesError(400, 'MessageRejected'),
  },
  async read({ body }) {
    const { Destination, Content } = JSON.parse(body);
    const mail = await simpleParser(Buffer.from(Content.Raw.Data, 'base64'));
    return { to: Destination.ToAddresses, subject: mail.subject ?? '', messageId: mail.messageId ?? '' };
  },
  open: (endpoint) =>
    new EmailProviderSes(
      {
        region: 'eu-central-1',
        endpoint,
        configurationSet: 'events',
        perSecond,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      },
      systemClock,
    ),
};

emailProviderContract('SendGrid', worldOf(sendgrid));
emailProviderContract('Mailgun', worldOf(mailgun));
emailProviderContract('SES', worldOf(ses));

test('SendGrid gets our headers, no tracking, and of the person nothing but the address', async () => {
  const world = await worldOf(sendgrid)();
  assert.deepEqual(await world.provider.send(testMessage()), { kind: 'accepted', providerId: 'sg1' });
  const [call] = world.calls;
  const body = JSON.parse(call?.body ?? '');
  assert.equal(call?.headers.authorization, 'Bearer SG.x');
  assert.equal(body.headers['Auto-Submitted'], 'auto-generated');
  assert.deepEqual(body.personalizations, [
    { to: [{ email: 'bo@people.example' }], custom_args: { tenant: 'default' } },
  ]);
  assert.equal(body.tracking_settings.click_tracking.enable, false);
  await world.stop();
});

test('Mailgun gets our headers as fields, and tells its id without brackets', async () => {
  const world = await worldOf(mailgun)();
  assert.deepEqual(await world.provider.send(testMessage()), { kind: 'accepted', providerId: 'mg1@app.example' });
  const fields = new URLSearchParams(world.calls[0]?.body);
  assert.equal(fields.get('h:List-Id'), '<reactions.app.example>');
  assert.equal(fields.get('from'), '"Carillon" <notify@app.example>');
  assert.equal(world.calls[0]?.url, '/v3/mg.app.example/messages');
  await world.stop();
});

test('what a provider asks to wait is waited', async () => {
  const world = await worldOf(mailgun)();
  world.behave('throttles');
  assert.deepEqual(await world.provider.send(testMessage()), {
    kind: 'throttled',
    code: '429',
    afterMs: 7000,
    scope: 'project',
  });
  await world.stop();
});

test('SES: a quota of the day waits longer than a rate', () => {
  const failure = { name: 'TooManyRequestsException', status: 429, code: null };
  const [day, rate] = ['Daily message quota exceeded', 'Maximum sending rate exceeded'].map((message) =>
    classifySes({ ...failure, message }),
  );
  assert.ok(day?.kind === 'throttled' && day.afterMs === 3_600_000);
  assert.ok(rate?.kind === 'throttled' && rate.afterMs === null);
});
