/** How devices and browsers are pushed to (V10). What is not configured here is not pushed to. */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const text = (description: string, env?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, description, ...(env && { env }) }));
const apps = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, uniqueItems: true, description });
const url = Type.Optional(
  Type.String({ pattern: '^https?://[^\\s/?#]+$', description: 'Another server than the usual one, for tests.' }),
);

const Apns = Type.Object(
  {
    apps: apps('Bundle IDs of your apps, as devices give them.'),
    teamId: Type.String({ pattern: '^[A-Za-z0-9]{10}$', description: 'Team ID of your developer account.' }),
    keyId: Type.String({ pattern: '^[A-Za-z0-9]{10}$', description: 'Key ID of the key.' }),
    key: text('The key itself (the text of the `.p8` file).'),
    keyFile: text('File of the key, instead of `key`.'),
    environment: Type.Optional(
      Type.Enum(['production', 'sandbox'], {
        description: 'What the key is for: `production` or `sandbox`. Absent: both, with a key made for both.',
      }),
    ),
    url,
  },
  closed,
);

const Fcm = Type.Object(
  {
    apps: apps('Names of your apps of this Firebase project, as devices give them.'),
    serviceAccount: text('The key of the service account (the text of its JSON file).'),
    serviceAccountFile: text('File of the key, instead of `serviceAccount`.'),
    url,
  },
  closed,
);

const WebPush = Type.Object(
  {
    subject: text(
      'Whom push services can write to: `mailto:ops@app.example`, or an https URL.',
      'CARILLON_VAPID_SUBJECT',
    ),
    privateKey: text(
      'VAPID private key, base64url. Development mode makes its own and keeps it in `dataDir`.',
      'CARILLON_VAPID_PRIVATE_KEY',
    ),
    privateKeyFile: text('File of it, instead of `privateKey`.'),
    formerPrivateKeys: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      default: [],
      description: 'Keys before it: they go on signing for the browsers that subscribed with them.',
    }),
    hosts: Type.Array(Type.String({ pattern: '^(\\*|(\\*\\.)?[a-z0-9.-]+)$' }), {
      default: [
        'fcm.googleapis.com',
        'jmt17.google.com',
        '*.push.services.mozilla.com',
        '*.push.apple.com',
        '*.notify.windows.com',
      ],
      description: 'Push services that are called: `push.example`, `*.push.example`, or `*` for any public address.',
    }),
    localEndpoints: Type.Boolean({
      default: false,
      description: 'Development mode: also call push services on this machine, on any port, without https.',
    }),
  },
  closed,
);

const Expo = Type.Object(
  {
    apps: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      default: [],
      uniqueItems: true,
      description: 'Names of your Expo apps, as devices give them; none: Expo is not used.',
    }),
    accessToken: text('Access token, where the project asks for one.', 'CARILLON_EXPO_ACCESS_TOKEN'),
    url,
  },
  closed,
);

const Push = Type.Object(
  {
    apns: Type.Array(Apns, { default: [], description: "Keys for Apple's push service (docs/PUSH.md)." }),
    fcm: Type.Array(Fcm, { default: [], description: 'Service accounts of Firebase projects (docs/PUSH.md).' }),
    webpush: WebPush,
    expo: Expo,
  },
  closed,
);

export const pushSettings = { push: Push } as const;

export type PushSettings = Static<typeof Push>;
