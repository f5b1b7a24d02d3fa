/** By which channels a person can be told outside the inbox. */
import type { PersonKey } from '../base/ids.ts';
import type { EndpointState } from '../decide/decide-channels.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { Profile } from '../profile/profile.ts';

export interface Reach {
  readonly push: EndpointState;
  readonly email: EndpointState;
}

export const noReach: Reach = { push: 'none', email: 'none' };

/** `noReach` itself where there are no channels, which is told apart at no cost. */
export function reachOf(channels: readonly OutwardChannel[], person: PersonKey, profile: Profile | null): Reach {
  if (channels.length === 0) return noReach;
  const reach: { -readonly [Name in keyof Reach]: Reach[Name] } = { ...noReach };
  for (const channel of channels) reach[channel.name] = channel.endpointOf(person, profile);
  return reach;
}
