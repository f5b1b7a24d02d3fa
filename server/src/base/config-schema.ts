/**
 * Everything that can be configured: type, default, environment variable (`env`) and explanation of each key, in one
 * schema. It validates, it types `Config`, and docs/CONFIG.md is written from it. Unknown keys are errors.
 */
import { type Static, Type } from 'typebox';
import { CapSettings } from './cap-settings.ts';
import { emailSettings } from './config-email.ts';
import { serviceSettings } from './config-services.ts';
import { dayMs } from './iso-time.ts';
import { limits } from './limits.ts';
import { pushSettings } from './push-settings.ts';

const closed = { additionalProperties: false } as const;

const tenant = Type.Optional(
  Type.String({ minLength: 1, maxLength: 128, description: 'Tenant; `default` if absent.' }),
);
const expiresAt = Type.Optional(
  Type.String({ format: 'date-time', description: 'From then on the key is refused (RFC 3339).' }),
);
const keyId = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,128}$',
  description: 'Name of the key, as shown in logs: letters, digits, `.`, `_`, `-`.',
});
/** Keys are long and random, so a slow hash would add nothing to a fast one. */
const keyHash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the key, 64 lower-case hexadecimal digits.',
});

export const ProducerKey = Type.Object(
  {
    id: keyId,
    hash: keyHash,
    sources: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      minItems: 1,
      description: 'Sources the key may write as; `*` is any.',
    }),
    expiresAt,
    tenant,
  },
  closed,
);

/** Whose tokens people come with. Exactly one of `secret`, `publicKey` and `jwksUrl` is given. */
export const UserTokens = Type.Object(
  {
    issuer: Type.String({ minLength: 1, description: 'The `iss` claim, exactly.' }),
    audience: Type.String({ minLength: 1, description: 'The `aud` claim, exactly.' }),
    algorithm: Type.Enum(['HS256', 'ES256', 'RS256', 'EdDSA'], {
      description: 'The one algorithm that is accepted: `HS256`, `ES256`, `RS256` or `EdDSA`.',
    }),
    secret: Type.Optional(Type.String({ minLength: 32, description: 'For HS256 only: at least 32 characters.' })),
    publicKey: Type.Optional(Type.String({ minLength: 1, description: 'For the others: PEM, or JWK as JSON text.' })),
    jwksUrl: Type.Optional(
      Type.String({ format: 'uri', description: 'Instead of `publicKey`: where the keys are published (https).' }),
    ),
    tenant,
  },
  closed,
);

export const OperatorKey = Type.Object(
  {
    id: keyId,
    hash: keyHash,
    role: Type.Enum(['viewer', 'support', 'operator', 'admin'], {
      description: 'What it may do: `viewer`, `support`, `operator` or `admin`.',
    }),
    expiresAt,
    tenant,
  },
  closed,
);

/** Whom the app is asked for. */
export const AudienceSourceConfig = Type.Object(
  {
    kind: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'Kind of the audiences: what stands before the colon of their names.',
    }),
    url: Type.String({
      pattern: '^https?://[^\\s]+$',
      description: 'Where their members are, with `{audience}`, `{after}` and `{max}` where these go.',
    }),
    secret: Type.String({ minLength: 32, maxLength: 1024, description: 'Signs the requests.' }),
  },
  closed,
);

const signingSecret = (use: string, env: string) =>
  Type.Optional(
    Type.String({
      minLength: 32,
      maxLength: 1024,
      env,
      description: `${use} At least 32 characters; production only starts with it.`,
    }),
  );

const days = (defaultMs: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 3650, default: defaultMs / dayMs, description });

const Auth = Type.Object(
  {
    cursorSecret: signingSecret('Signs paging cursors.', 'CARILLON_CURSOR_SECRET'),
    tokenSecret: signingSecret('Signs stream tickets and the tokens of development mode.', 'CARILLON_TOKEN_SECRET'),
    producerKeys: Type.Array(ProducerKey, { default: [], description: 'API keys of producers.' }),
    userTokens: Type.Array(UserTokens, { default: [], description: 'Issuers of the tokens people come with.' }),
    operators: Type.Array(OperatorKey, { default: [], description: 'Keys of operators.' }),
  },
  closed,
);

const keyOf32Bytes = (description: string, more: { env?: string } = {}) =>
  Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: `${description} 32 random bytes, as base64.`, ...more });

export const EncryptionKey = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'Name of the key, as it stands beside what the key encrypted: letters, digits, `_`, `-`.',
    }),
    key: keyOf32Bytes('The key itself.'),
  },
  closed,
);

const Encryption = Type.Object(
  {
    keys: Type.Array(EncryptionKey, {
      default: [],
      description:
        'Keys of what is encrypted at rest (docs/DEVICES.md): the first encrypts, all decrypt. Production only starts with one; development mode makes its own.',
    }),
    indexKey: Type.Optional(
      keyOf32Bytes('By it, encrypted tokens and addresses are found again. It can never be changed.', {
        env: 'CARILLON_INDEX_KEY',
      }),
    ),
  },
  closed,
);

const idleDays = (provider: keyof typeof limits.deviceIdleMs, name: string) =>
  days(limits.deviceIdleMs[provider], `How long a device of ${name} is kept that its app was not seen on.`);

const Devices = Type.Object(
  {
    idleDays: Type.Object(
      {
        apns: idleDays('apns', 'APNs'),
        fcm: idleDays('fcm', 'FCM'),
        webpush: idleDays('webpush', 'Web Push'),
        expo: idleDays('expo', 'Expo'),
      },
      closed,
    ),
  },
  closed,
);

export const roles = ['intake', 'shard', 'deliver', 'gateway', 'api'] as const;

export const Config = Type.Object(
  {
    mode: Type.Enum(['development', 'production'], {
      default: 'development',
      env: 'CARILLON_MODE',
      description:
        '`development` binds loopback only and hands out tokens to anyone; `production` only starts with secrets and keys.',
    }),
    engine: Type.Enum(['embedded', 'cluster'], {
      default: 'embedded',
      env: 'CARILLON_ENGINE',
      description:
        '`embedded` is one process with all data in `dataDir`; `cluster` is any number of processes on Kafka, Cassandra, Redis and PostgreSQL.',
    }),
    roles: Type.Array(Type.Enum(roles), {
      minItems: 1,
      uniqueItems: true,
      default: [...roles],
      env: 'CARILLON_ROLES',
      description:
        'Cluster engine: what this process does. `intake` takes events, `shard` decides and writes inboxes, `deliver` sends push and email, `gateway` holds streams, `api` answers for inboxes.',
    }),
    host: Type.String({ minLength: 1, default: '127.0.0.1', env: 'HOST', description: 'Address to listen on.' }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      default: 8080,
      env: 'PORT',
      description: 'Port; 0 takes any free one.',
    }),
    dataDir: Type.String({
      minLength: 1,
      default: '.carillon',
      env: 'CARILLON_DATA',
      description:
        "Folder of all data of the embedded engine, made if missing; one process at a time. On the cluster engine only development mode's secret lies in it.",
    }),
    shards: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1024,
        description:
          'Shares that people are divided into; fixed once there is data. If absent 1 on the embedded engine and 12 on the cluster engine, where up to so many processes can share the work.',
      }),
    ),
    logLevel: Type.Enum(['debug', 'info', 'warn', 'error'], {
      default: 'info',
      env: 'CARILLON_LOG_LEVEL',
      description: 'Least level that is logged: `debug`, `info`, `warn` or `error`.',
    }),
    log: Type.Object(
      {
        keptDays: days(
          limits.logKeptMs,
          'How long the log of events is kept: the reach of replays and of duplicate checks.',
        ),
        segmentBytes: Type.Integer({
          minimum: 1024 * 1024,
          maximum: 1024 * 1024 * 1024,
          default: limits.segmentBytes,
          description: 'Bytes of one file of the log.',
        }),
      },
      closed,
    ),
    inbox: Type.Object(
      {
        rowsPerPersonMax: Type.Integer({
          minimum: 200,
          maximum: 100_000,
          default: limits.rowsPerPersonMax,
          description: 'Rows of one person; the oldest are trimmed in the background.',
        }),
        retentionDays: days(limits.retentionMs, 'How long a row is kept, counted from its last event.'),
        exactPeopleMax: Type.Integer({
          minimum: 100,
          maximum: 1_000_000,
          default: limits.exactPeopleMax,
          description: 'People of a group are counted exactly up to here, and estimated above.',
        }),
      },
      closed,
    ),
    audiences: Type.Object(
      {
        followersKind: Type.String({
          pattern: '^[A-Za-z0-9_-]{0,64}$',
          default: 'followers',
          description:
            '`user.followed` and `user.unfollowed` keep the audiences of this kind: `followers:<id of whom>`. Empty keeps none.',
        }),
        broadcastAbove: Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          default: limits.broadcastAbove,
          description:
            'Above so many members an event is kept once for all of an audience, and comes to an inbox when that is opened. Not for `sources`.',
        }),
        broadcastDays: days(
          limits.broadcastsKeptMs,
          'How long such events are kept, in days: whoever opens the inbox later does not get them.',
        ),
        sources: Type.Array(AudienceSourceConfig, {
          default: [],
          description: 'Kinds of audiences whose members the app knows and is asked for (docs/AUDIENCES.md).',
        }),
      },
      closed,
    ),
    broadcasts: Type.Object(
      {
        selfApproval: Type.Optional(
          Type.Boolean({
            description:
              'An operator may approve their own broadcasts. By default only in development mode: else somebody else must.',
          }),
        ),
        staleAfterSeconds: Type.Integer({
          minimum: 1,
          maximum: 30 * 86_400,
          default: limits.announcementStaleMs / 1000,
          description:
            'A broadcast that is overdue for longer, since the service was down when it was due, waits until somebody confirms it.',
        }),
      },
      closed,
    ),
    stream: Type.Object(
      {
        presentSeconds: Type.Integer({
          minimum: 1,
          maximum: 300,
          default: limits.lookingKeptMs / 1000,
          description:
            'Whoever is connected and has hidden the app for no longer than this is not pushed to, but for types that push always.',
        }),
        allowedOrigins: Type.Array(Type.String({ pattern: '^https?://[^/]+$' }), {
          default: [],
          description:
            'Origins whose pages may open a stream and call the API, such as `https://app.example`; none means the own origin only.',
        }),
      },
      closed,
    ),
    content: Type.Object(
      {
        typeFiles: Type.Array(Type.String({ minLength: 1 }), {
          default: [],
          env: 'CARILLON_TYPE_FILES',
          description:
            "Files of the app's own types and words (docs/TYPES.md), or folders of such; later ones go before earlier ones. They are taken anew when they change.",
        }),
        defaultLocale: Type.String({
          pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
          default: 'en',
          env: 'CARILLON_DEFAULT_LOCALE',
          description: 'Language of whoever names none, or one without words.',
        }),
        linkSchemes: Type.Array(Type.String({ pattern: '^[a-z][a-z0-9+.-]{1,31}$' }), {
          default: [],
          uniqueItems: true,
          description:
            'Schemes of links into your app, such as `myapp` for `myapp://post/p1`. Beside them only https, paths, and http on this machine are shown as links.',
        }),
        releasedTypes: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              'File of the types as the app last released them; `carillon check` names what would break a producer or an old record since. `carillon check --release` writes it.',
          }),
        ),
      },
      closed,
    ),
    caps: CapSettings,
    auth: Auth,
    ...emailSettings,
    ...pushSettings,
    encryption: Encryption,
    devices: Devices,
    ...serviceSettings,
  },
  closed,
);

export type Config = Static<typeof Config>;
export type Role = (typeof roles)[number];
export type ProducerKey = Static<typeof ProducerKey>;
export type UserTokens = Static<typeof UserTokens>;
export type AudienceSourceConfig = Static<typeof AudienceSourceConfig>;
export type EncryptionKey = Static<typeof EncryptionKey>;
export type OperatorKey = Static<typeof OperatorKey>;
