/** What Google's answer to a dry run for a token of no device says of a service account, in words. */
import type { CredentialFinding } from '../credential-finding.ts';
import type { NoAccess, ServiceAccount } from './google-access-token.ts';
import type { FailedReply } from './provider-reply.ts';
import type { ProviderAnswer } from './push-provider.ts';

const words: Readonly<Record<string, (account: ServiceAccount) => string>> = {
  SENDER_ID_MISMATCH: ({ projectId }) => `The service account does not belong to project ${projectId}.`,
  PERMISSION_DENIED: ({ clientEmail, projectId }) =>
    `${clientEmail} may not send in project ${projectId}: give it the role "Firebase Cloud Messaging API Admin", and enable the API "Firebase Cloud Messaging API".`,
  UNAUTHENTICATED: () => 'Google does not take the access token it gave us: the clock of this machine may be wrong.',
  NOT_FOUND: ({ projectId }) => `Google knows no project ${projectId}.`,
  THIRD_PARTY_AUTH_ERROR: () => "The Firebase project's own key for Apple or for browsers is missing or not right.",
};

export function fcmFinding(
  what: string,
  account: ServiceAccount,
  reply: ProviderAnswer | NoAccess | FailedReply,
): CredentialFinding {
  if ('kind' in reply) {
    if (reply.kind !== 'none') return { what, isGood: false, text: `Google could not be reached (${reply.code}).` };
    const { outcome, text } = reply;
    if (outcome.kind !== 'blocked')
      return { what, isGood: false, text: `Google gave no access token: ${plain(text)}.` };
    const hint = 'The key of the service account may be deleted, or the clock of this machine be wrong.';
    return {
      what,
      isGood: false,
      text: `Google gives ${account.clientEmail} no access token: ${plain(text)}. ${hint}`,
    };
  }
  const { status, reason } = reply;
  if (status === 200 || reason === 'INVALID_TOKEN' || reason === 'INVALID_ARGUMENT' || reason === 'UNREGISTERED') {
    return { what, isGood: true, text: `Google lets ${account.clientEmail} send.` };
  }
  const known = reason === null ? undefined : words[reason];
  const name = /^\w{1,64}$/.test(reason ?? '') ? reason : 'no reason';
  return { what, isGood: false, text: known?.(account) ?? `Google answered ${status} (${name}).` };
}

/** One line for a terminal, whatever was answered. */
function plain(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
    .replace(/\.$/, '');
}
