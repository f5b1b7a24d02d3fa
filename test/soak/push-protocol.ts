/** What Apple's and Google's push services are asked, and how each says what it did: pure. */
import type { Did } from './seen-send.ts';
import type { Treatment } from './weather.ts';

export interface PushAsked {
  readonly protocol: 'apns' | 'fcm';
  readonly token: string;
  /** Apple: given by the sender. */
  readonly apnsId: string | null;
}

export interface PushAnswer {
  readonly status: number;
  readonly did: Did;
  /** What the service calls it from now on. */
  readonly givenId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AnswerFacts {
  readonly treatment: Treatment;
  /** Since when nobody is at the device. */
  readonly goneSinceMs: number;
  /** Apple wants a 503 to be tried again after a quarter of an hour, and a connection it calls idle at once. */
  readonly isPatient: boolean;
  /** What Google would call it. */
  readonly name: string;
}

/** Null: it is neither's. */
export function readAsked(path: string, headers: Readonly<Record<string, unknown>>, body: string): PushAsked | null {
  const token = /^\/3\/device\/(\w+)$/.exec(path)?.[1];
  if (token !== undefined) return { protocol: 'apns', token, apnsId: String(headers['apns-id'] ?? '') };
  const fcmToken = path.endsWith('/messages:send') ? /"token":"(\w+)"/.exec(body)?.[1] : undefined;
  return fcmToken === undefined ? null : { protocol: 'fcm', token: fcmToken, apnsId: null };
}

/** The delivery that a push says it is: in the app's part of the payload, which Google's has as a text within the text. */
export function deliveryIn(body: string): string | null {
  return /delivery\\?":\\?"([\w-]+)/.exec(body)?.[1] ?? null;
}

export function answerTo(asked: PushAsked, facts: AnswerFacts): PushAnswer {
  return asked.protocol === 'apns' ? appleAnswer(asked, facts) : googleAnswer(facts);
}

function appleAnswer({ apnsId }: PushAsked, { treatment, goneSinceMs, isPatient }: AnswerFacts): PushAnswer {
  const headers = { 'apns-id': apnsId ?? '' };
  const failed = (status: number, did: Did, reason: string, timestamp?: number): PushAnswer => {
    return { status, did, givenId: null, headers, body: JSON.stringify({ reason, timestamp }) };
  };
  switch (treatment.kind) {
    case 'take':
      return { status: 200, did: 'take', givenId: apnsId, headers, body: '' };
    case 'throttle':
      return failed(429, 'throttle', 'TooManyRequests');
    case 'gone':
      return failed(410, 'gone', 'Unregistered', goneSinceMs);
    case 'doubt':
      return failed(400, 'doubt', 'BadDeviceToken');
    case 'refuse':
      return failed(400, 'refuse', 'PayloadEmpty');
    default:
      return isPatient ? failed(503, 'retry', 'ServiceUnavailable') : failed(400, 'retry', 'IdleTimeout');
  }
}

function googleAnswer({ treatment, name }: AnswerFacts): PushAnswer {
  const failed = (status: number, did: Did, code: string, message = ''): PushAnswer => {
    const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: code }];
    const body = JSON.stringify({ error: { code: status, message, status: code, details } });
    return { status, did, givenId: null, headers: { 'content-type': 'application/json' }, body };
  };
  switch (treatment.kind) {
    case 'take':
      return { status: 200, did: 'take', givenId: name, headers: {}, body: JSON.stringify({ name }) };
    case 'throttle': {
      const answer = failed(429, 'throttle', 'QUOTA_EXCEEDED');
      return { ...answer, headers: { ...answer.headers, 'retry-after': String(treatment.afterMs / 1000) } };
    }
    case 'gone':
      return failed(404, 'gone', 'UNREGISTERED');
    case 'doubt':
      return failed(400, 'doubt', 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token');
    case 'refuse':
      return failed(400, 'refuse', 'INVALID_ARGUMENT', 'Request contains an invalid argument.');
    default:
      return failed(503, 'retry', 'UNAVAILABLE');
  }
}
