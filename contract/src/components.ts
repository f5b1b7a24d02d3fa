/**
 * Schemas that the published documents refer to by name. A schema that occurs anywhere in an operation and equals one
 * of these becomes a `$ref`; what is not listed is written out where it stands.
 */
import type { TSchema } from 'typebox';
import {
  Device,
  DeviceAddressRequest,
  DeviceFound,
  DeviceId,
  DeviceRequest,
  Devices,
  PushSubscription,
} from './devices.ts';
import { Actor, Event, EventObject, EventResult, EventResults, ParentObject, Recipients } from './event.ts';
import { CloudEvent } from './event-bodies.ts';
import { Live, Ready } from './health.ts';
import { ActorsPage, CountsAnswer, Decision, MarkByIds, MarkThrough, Snooze, WhyAnswer } from './inbox-requests.ts';
import { Mute, MuteRequest, Mutes } from './mutes.ts';
import {
  Action,
  Counts,
  Notification,
  NotificationActor,
  NotificationObject,
  NotificationPage,
  NotificationState,
} from './notification.ts';
import { PeopleFound, PeopleResults, Person, PersonExport, PersonFacts, PersonSearch } from './person-facts.ts';
import {
  ChannelChoices,
  Digest,
  PreferenceChoices,
  Preferences,
  Privacy,
  QuietHours,
  QuietSpan,
  Relations,
} from './preferences.ts';
import { Problem } from './problem.ts';
import { PreferencesAnswer, Resolved } from './resolved-preferences.ts';
import { RotationLine } from './rotation-line.ts';
import {
  AuthFrame,
  ByeFrame,
  ChangesFrame,
  HelloFrame,
  MarksFrame,
  PingFrame,
  PongFrame,
  ResyncFrame,
  VisibleFrame,
} from './stream.ts';
import {
  AudienceState,
  FanoutList,
  FanoutView,
  Subscription,
  SubscriptionLine,
  SubscriptionResult,
  SubscriptionResults,
  SubscriptionWish,
} from './subscriptions.ts';
import { Suppression, Suppressions } from './suppressions.ts';

export const components: Readonly<Record<string, TSchema>> = {
  Suppression,
  Suppressions,
  Event,
  CloudEvent,
  EventResult,
  EventResults,
  Actor,
  EventObject,
  ParentObject,
  Recipients,
  Notification,
  NotificationActor,
  NotificationObject,
  NotificationState,
  NotificationPage,
  Action,
  Counts,
  CountsAnswer,
  ActorsPage,
  Decision,
  WhyAnswer,
  MarkByIds,
  MarkThrough,
  Snooze,
  Preferences,
  PreferenceChoices,
  PreferencesAnswer,
  Resolved,
  ChannelChoices,
  QuietHours,
  QuietSpan,
  Relations,
  Digest,
  Privacy,
  Device,
  Devices,
  DeviceRequest,
  DeviceAddressRequest,
  DeviceFound,
  DeviceId,
  PushSubscription,
  Mute,
  Mutes,
  MuteRequest,
  Person,
  PersonFacts,
  PersonExport,
  PersonSearch,
  PeopleFound,
  RotationLine,
  PeopleResults,
  HelloFrame,
  ChangesFrame,
  MarksFrame,
  ResyncFrame,
  PingFrame,
  ByeFrame,
  AuthFrame,
  VisibleFrame,
  PongFrame,
  AudienceState,
  FanoutList,
  FanoutView,
  Subscription,
  SubscriptionLine,
  SubscriptionResult,
  SubscriptionResults,
  SubscriptionWish,
  Live,
  Ready,
  Problem,
};
