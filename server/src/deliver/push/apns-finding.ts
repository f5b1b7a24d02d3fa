/** What Apple's answer to a push for a token of no device says of our credentials, in words. */
import type { CredentialFinding } from '../credential-finding.ts';
import type { ProviderAnswer } from './push-provider.ts';

interface Names {
  readonly teamId: string;
  readonly keyId: string;
  readonly environment: string | null;
}

const words: Readonly<Record<string, (names: Names) => string>> = {
  InvalidProviderToken: ({ keyId, teamId }) =>
    `Apple does not know this key: key ID ${keyId}, team ID ${teamId} and the key file must belong together, and the key must not be revoked.`,
  MissingProviderToken: () => 'Apple saw no token: something between here and Apple takes headers away.',
  ExpiredProviderToken: () => 'Apple calls a fresh token expired: the clock of this machine is wrong.',
  UnrelatedKeyIdInToken: ({ keyId }) => `Key ${keyId} does not belong to the team of this connection.`,
  BadEnvironmentKeyIdInToken: ({ keyId, environment }) =>
    `Key ${keyId} is not for ${environment}: give it the environment it was made for.`,
  TopicDisallowed: ({ keyId }) => `Key ${keyId} may not push to this app: it is limited to others.`,
  BadTopic: () => 'Apple does not know this bundle ID.',
  MissingTopic: () => 'Apple does not know this bundle ID.',
  Forbidden: ({ keyId }) => `Apple forbids key ${keyId} to push.`,
  TooManyProviderTokenUpdates: ({ keyId }) =>
    `Apple was given new tokens of key ${keyId} too often: another program uses the same key. Try again in 20 minutes.`,
};

export function apnsFinding(what: string, { status, reason }: ProviderAnswer, names: Names): CredentialFinding {
  // Whoever is told that the token is not good was let in.
  if (reason === 'BadDeviceToken' || reason === 'DeviceTokenNotForTopic' || status === 410 || status === 200) {
    return { what, isGood: true, text: `Apple accepts key ${names.keyId}.` };
  }
  const known = reason === null ? undefined : words[reason];
  const plain = /^\w{1,64}$/.test(reason ?? '') ? reason : 'no reason';
  return { what, isGood: false, text: known?.(names) ?? `Apple answered ${status} (${plain}).` };
}
