/** How mail is sent, and what comes back of it (V20–V22). Keys of a provider count where `email.providers` names it. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const text = (description: string, env?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description, ...(env && { env }) }));
const perSecond = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'Mails a second that each process may send; absent: no limit.',
  }),
);
const url = (fallback: string, description: string) =>
  Type.String({ pattern: '^https?://[^\\s?#]+$', default: fallback, description });

const Dkim = Type.Object(
  {
    domain: text('Domain that signs (`d=`); absent: mails are not signed here.'),
    selector: text('Selector of the key (`s=`).'),
    privateKey: text('Private key, PEM. RSA of 2048 bits or more.', 'CARILLON_DKIM_PRIVATE_KEY'),
    privateKeyFile: text('File of the private key, instead of `privateKey`.'),
  },
  closed,
);

const Smtp = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      env: 'CARILLON_SMTP_HOST',
      description: 'Server to send by.',
    }),
    port: Type.Integer({
      minimum: 1,
      maximum: 65535,
      default: 587,
      env: 'CARILLON_SMTP_PORT',
      description: 'Its port.',
    }),
    tls: Type.Enum(['required', 'implicit', 'opportunistic', 'off'], {
      default: 'required',
      description:
        '`required`: STARTTLS or nothing; `implicit`: TLS from the first byte (port 465); `opportunistic`: STARTTLS where offered; `off`: in clear, for a server on the same machine.',
    }),
    tlsCaFile: text('PEM file of the authorities to trust instead of the usual ones.'),
    username: text('User to log in as.', 'CARILLON_SMTP_USERNAME'),
    password: text('Its password.', 'CARILLON_SMTP_PASSWORD'),
    heloName: text('Name this machine greets with; absent: its host name.'),
    connections: Type.Integer({ minimum: 1, maximum: 100, default: 5, description: 'Connections at once.' }),
    perSecond,
    dkim: Dkim,
  },
  closed,
);

const Ses = Type.Object(
  {
    region: text('AWS region, such as `eu-central-1`. Credentials are those the AWS SDK finds.', 'AWS_REGION'),
    endpoint: text('Another address of the service, for private endpoints.'),
    configurationSet: text('Configuration set, whose events come to `/v1/webhooks/ses`.'),
    perSecond,
  },
  closed,
);

const Sendgrid = Type.Object(
  {
    apiKey: text('API key with the right to send mail.', 'SENDGRID_API_KEY'),
    baseUrl: url('https://api.sendgrid.com', 'Where the API is; `https://api.eu.sendgrid.com` in the EU.'),
    perSecond,
  },
  closed,
);

const Mailgun = Type.Object(
  {
    apiKey: text('Sending key of the domain.', 'MAILGUN_API_KEY'),
    domain: text('Domain to send from, as Mailgun knows it.'),
    baseUrl: url('https://api.mailgun.net', 'Where the API is; `https://api.eu.mailgun.net` in the EU.'),
    perSecond,
  },
  closed,
);

const Webhooks = Type.Object(
  {
    sesTopics: Type.Array(Type.String({ pattern: '^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]+:[A-Za-z0-9_.-]+$' }), {
      default: [],
      description: 'ARNs of the SNS topics that bring events of SES; none: `/v1/webhooks/ses` is not there.',
    }),
    sendgridPublicKey: text(
      "Public key of SendGrid's signed event webhook; absent: `/v1/webhooks/sendgrid` is not there.",
    ),
    mailgunSigningKey: text(
      'Webhook signing key of Mailgun; absent: `/v1/webhooks/mailgun` is not there.',
      'MAILGUN_SIGNING_KEY',
    ),
    mailKeyHash: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        description:
          'SHA-256 of the key that brings bounces as mail to `/v1/webhooks/mail` (`Authorization: Bearer …`); absent: it is not there.',
      }),
    ),
  },
  closed,
);

export const emailProviderNames = ['smtp', 'ses', 'sendgrid', 'mailgun'] as const;

const Email = Type.Object(
  {
    providers: Type.Array(Type.Enum(emailProviderNames), {
      uniqueItems: true,
      default: [],
      env: 'CARILLON_EMAIL_PROVIDERS',
      description:
        'Who sends mail: `smtp`, `ses`, `sendgrid`, `mailgun`. The first is used; the next takes over where it cannot. None: no mail is sent.',
    }),
    from: text('Sender of all mail: `Carillon <notify@app.example>`, or the address alone.', 'CARILLON_EMAIL_FROM'),
    returnPath: text('Address that bounces of mail sent by SMTP go to; absent: the sender.'),
    appUrl: text('Where your app is: paths in notifications lead there. `https://app.example`.', 'CARILLON_APP_URL'),
    publicUrl: text(
      'Where this service is reached from outside, for links to unsubscribe. `https://notify.app.example`.',
      'CARILLON_PUBLIC_URL',
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 32,
        maxLength: 1024,
        env: 'CARILLON_EMAIL_SECRET',
        description:
          'Makes links to unsubscribe, message ids, and the keys of the suppression list. At least 32 characters; production sends mail only with it.',
      }),
    ),
    formerSecrets: Type.Array(Type.String({ minLength: 32, maxLength: 1024 }), {
      default: [],
      description: 'Secrets before it: links made with them still work.',
    }),
    senderName: text('Name of your app at the foot of a mail; absent: the name in `from`.'),
    postalAddress: text('Postal address at the foot of a mail, which many laws ask for.'),
    softBouncesMax: Type.Integer({
      minimum: 1,
      maximum: 30,
      default: 5,
      description: 'Days with a soft bounce, within 30 days, after which an address gets no more mail.',
    }),
    smtp: Smtp,
    ses: Ses,
    sendgrid: Sendgrid,
    mailgun: Mailgun,
    webhooks: Webhooks,
  },
  closed,
);

export const emailSettings = { email: Email } as const;

export type EmailSettings = Static<typeof Email>;
export type EmailProviderName = (typeof emailProviderNames)[number];
