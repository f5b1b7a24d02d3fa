/** What intake must know of a type: that it is there, its lane, and whom it tells. The type catalogue answers it. */
import type { Lane } from '@carillon/contract/lanes.ts';

export interface EventTypeFacts {
  readonly name: string;
  readonly lane: Lane;
  readonly category: string;
  /** `edit`: the people of `data.mentions` are recipients too. */
  readonly rule: string;
  /** The app itself speaks: neither actor nor object is needed. */
  readonly fromApp: boolean;
}

export interface EventTypes {
  /** By name as written in an event, version suffix included. */
  find(type: string): EventTypeFacts | undefined;
}
