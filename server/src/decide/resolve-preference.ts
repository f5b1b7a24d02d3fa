/**
 * Whether a person wants a type on a channel, and who says so (D2). The first of these that says anything decides:
 *
 *   1. `critical`: the catalogue, whatever the person chose
 *   2. `type`: the choice for this type on this channel
 *   3. `category`: the choice for its category on this channel
 *   4. `muteAll`: everything that interrupts is off; the inbox keeps its list
 *   5. `channel`: the choice for this channel
 *   6. `default`: the catalogue
 *
 * So an explicit choice for a type or category is an exception from "mute all", and a default never overrides a choice,
 * also for types added later. "Mute all" stands before the channel, which says whether a channel is used at all: else
 * whoever has `push: true` there could not mute anything. A pause passes; it holds and does not decide
 * (`decide-channels.ts`).
 */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import type { Channel, Reason } from '@carillon/contract/reasons.ts';
import type { ChannelPolicy } from './channel-policy.ts';

/** Where a value comes from, as answered by `?resolved=true`. */
export type PreferenceOrigin = 'critical' | 'type' | 'category' | 'muteAll' | 'channel' | 'default';

export interface ResolvedPreference {
  readonly isOn: boolean;
  readonly origin: PreferenceOrigin;
}

/** Choices that matter here. */
export type ChannelPreferences = Pick<PreferenceChoices, 'muteAll' | 'channels' | 'categories' | 'types'>;

type PreferredType = Pick<ChannelPolicy, 'name' | 'category' | 'critical' | 'channels'>;

export function resolvePreference(
  choices: ChannelPreferences,
  type: PreferredType,
  channel: Channel,
): ResolvedPreference {
  if (type.critical) return { isOn: type.channels[channel], origin: 'critical' };
  const ofType = choices.types?.[type.name]?.[channel];
  if (ofType !== undefined) return { isOn: ofType, origin: 'type' };
  const ofCategory = choices.categories?.[type.category]?.[channel];
  if (ofCategory !== undefined) return { isOn: ofCategory, origin: 'category' };
  if (choices.muteAll === true && channel !== 'inApp') return { isOn: false, origin: 'muteAll' };
  const ofChannel = choices.channels?.[channel];
  if (ofChannel !== undefined) return { isOn: ofChannel, origin: 'channel' };
  return { isOn: type.channels[channel], origin: 'default' };
}

const reasonsByOrigin: Record<PreferenceOrigin, Reason> = {
  critical: 'critical',
  type: 'preference',
  category: 'categoryPreference',
  muteAll: 'muteAll',
  channel: 'preference',
  default: 'default',
};

export function preferenceReason({ origin }: ResolvedPreference): Reason {
  return reasonsByOrigin[origin];
}
