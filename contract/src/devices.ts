/**
 * What a person can be pushed on (V11): `/v1/devices`. Exactly one of `token`, `fid` and `subscription` is given. No answer
 * ever has it: who knows a token can send to the device.
 */
import { type Static, Type } from 'typebox';
import { Id } from './event.ts';
import { Time } from './notification.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const deviceProviders = ['apns', 'fcm', 'webpush', 'expo'] as const;
export const deviceEnvironments = ['production', 'sandbox'] as const;

/** As `PushSubscription.toJSON()` gives it. */
export const PushSubscription = Type.Object(
  {
    endpoint: Type.String({ maxLength: 2048 }),
    expirationTime: Type.Optional(orNull(Type.Number())),
    keys: Type.Object({ p256dh: Type.String({ maxLength: 128 }), auth: Type.String({ maxLength: 64 }) }, closed),
  },
  closed,
);

const address = {
  provider: Type.Enum([...deviceProviders]),
  /** Of APNs, FCM or Expo. */
  token: Type.Optional(Type.String({ maxLength: 4096 })),
  /** A Firebase installation id. */
  fid: Type.Optional(Type.String({ maxLength: 128 })),
  subscription: Type.Optional(PushSubscription),
};

export const DeviceAddressRequest = Type.Object(address, closed);

export const DeviceRequest = Type.Object(
  {
    ...address,
    /** Which app it is of, as push is configured: the bundle id, the app's id at Firebase, or the origin. */
    app: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\s\\u0000-\\u001f\\u007f]+$' }),
    appVersion: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })),
    /** `production` unless given; of APNs, where they have tokens of their own. */
    environment: Type.Optional(Type.Enum([...deviceEnvironments])),
    /** BCP 47; that of the person unless given. */
    locale: Type.Optional(Type.String({ maxLength: 35 })),
    /** IANA name; that of the person unless given. */
    timeZone: Type.Optional(Type.String({ maxLength: 64 })),
    /** Of a subscription: the key it was made with; the service's present one unless given. */
    vapidKey: Type.Optional(Type.String({ maxLength: 128 })),
  },
  closed,
);

/** The answer to a registration. */
export const DeviceId = Type.Object({ id: Type.String({ pattern: '^d_[A-Za-z0-9_-]{22}$' }) });

export const DeviceParams = Type.Object({ id: Id });

export const Device = Type.Object({
  id: Type.String(),
  provider: Type.Enum([...deviceProviders]),
  app: Type.String(),
  appVersion: orNull(Type.String()),
  environment: Type.Enum([...deviceEnvironments]),
  locale: orNull(Type.String()),
  timeZone: orNull(Type.String()),
  /** When its address was registered, the last time. */
  registeredAt: Time,
  seenAt: Time,
});

/** The one seen last first. */
export const Devices = Type.Object({ items: Type.Array(Device) });

/** Whose device it is; null: nobody's of this tenant. */
export const DeviceFound = Type.Object({ user: orNull(Type.String()), device: orNull(Device) });

/** Uncompressed point of the curve P-256, base64url. Null: browsers are not pushed to. */
export const VapidKey = Type.Object({ key: orNull(Type.String()) });

export type DeviceRequest = Static<typeof DeviceRequest>;
export type DeviceAddressRequest = Static<typeof DeviceAddressRequest>;
export type PushSubscription = Static<typeof PushSubscription>;
export type Device = Static<typeof Device>;
