/** By which channels a person can be told outside the inbox. */
import type { EndpointState } from '../decide/decide-channels.ts';

export interface Reach {
  readonly push: EndpointState;
  readonly email: EndpointState;
}

export const noReach: Reach = { push: 'none', email: 'none' };
