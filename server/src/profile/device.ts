/**
 * A device or browser that a person can be pushed on (V11). Its token is a secret: it is encrypted at rest, found again by
 * a blind index, and neither answered nor logged anywhere.
 */
import type { PersonKey } from '../base/ids.ts';

export const pushProviders = ['apns', 'fcm', 'webpush', 'expo'] as const;
export type PushProviderName = (typeof pushProviders)[number];

/** What a provider addresses the device by. */
export type DeviceAddress =
  | { readonly kind: 'token'; readonly value: string }
  /** A Firebase installation id. */
  | { readonly kind: 'fid'; readonly value: string }
  /**
   * Of a browser (RFC 8291): keys base64url, without padding. `vapidKey`: our public key it was made with; it takes pushes
   * signed by that one only, so a key that is replaced goes on signing for what was made with it.
   */
  | {
      readonly kind: 'subscription';
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
      readonly vapidKey: string;
    };

export interface Device {
  /** `d_…`: what the person sees. */
  readonly id: string;
  readonly person: PersonKey;
  readonly provider: PushProviderName;
  readonly address: DeviceAddress;
  /** Which app of ours: the bundle id, the Firebase project's app, or the origin; it picks the credentials. */
  readonly app: string;
  readonly appVersion: string | null;
  readonly environment: 'production' | 'sandbox';
  /** BCP 47 and IANA, canonical; null: those of the person. */
  readonly locale: string | null;
  readonly timeZone: string | null;
  /** When the address was registered, the last time: proof that it was dead before then counts for nothing. */
  readonly registeredAtMs: number;
  readonly seenAtMs: number;
}

/** With what its owner need not see. */
export interface StoredDevice extends Device {
  /** The session in which it was registered, as `sessionKey` names it: the device goes when that ends (BC-70). Null: none. */
  readonly session: string | null;
}

/** What is said of a device when it is registered, for the first time or again. */
export type DeviceRegistration = Omit<StoredDevice, 'id' | 'registeredAtMs' | 'seenAtMs'>;
