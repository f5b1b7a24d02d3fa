/** Reason codes in plain words for the person who asks "why?" (D12). */
import type { ChannelDecision, Reason } from '@carillon/contract/reasons.ts';

const channelNames = { inApp: 'in the app', push: 'by push', email: 'by email' } as const;

const reasonTexts: Record<Reason, string> = {
  preference: 'of your choice for this type or channel',
  categoryPreference: 'of your choice for this category',
  muteAll: 'you have muted everything',
  paused: 'you have paused notifications',
  mutedActor: 'you have muted this person',
  mutedObject: 'you have muted this conversation',
  mutedWord: 'it contains a word you have muted',
  relation: 'of your choice for people you are not connected with',
  quietHours: 'of your quiet hours',
  cap: 'you had many notifications already',
  window: 'it is gathered with others of its kind',
  digest: 'it comes with your digest',
  unseen: 'it is sent only if you have not seen it by then',
  duplicate: 'you were told already',
  self: 'you did it yourself',
  undone: 'it was undone',
  present: 'you were looking at the app',
  noEndpoint: 'there is no device or address to send it to',
  suppressed: 'this address does not take our messages',
  expired: 'it came too late to be useful',
  read: 'you had read it already',
  erased: 'the account was erased',
  accessLost: 'you can no longer see what it is about',
  critical: 'it is about the safety of your account',
  default: 'that is the setting for this type',
};

/** One sentence, for instance "Held back by push until 2026-03-11T07:00:00Z because of your quiet hours." */
export function reasonText(decision: ChannelDecision): string {
  const channel = channelNames[decision.channel];
  const until = decision.until === undefined ? '' : ` until ${decision.until}`;
  const verb = { send: 'Sent', hold: 'Held back', skip: 'Not sent' }[decision.kind];
  return `${verb} ${channel}${until} because ${reasonTexts[decision.reason]}.`;
}
