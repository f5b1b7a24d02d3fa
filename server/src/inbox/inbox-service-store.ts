/** The inbox service over an inbox store: each operation reads a head, and answers from it where it can. */
import type { Counts, Notification, NotificationPage } from '@carillon/contract/notification.ts';
import { type ChannelDecision, channels } from '@carillon/contract/reasons.ts';
import type { ChangesFrame, MarksFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import { builtInContent, type LiveContent } from '../content/live-content.ts';
import { actorsAfter } from './actors-page.ts';
import { decisionLog } from './decision-log.ts';
import { changesFrame, changesFrames, changesHeadRows, type FrameFacts, marksSince } from './inbox-changes.ts';
import { InboxCounts } from './inbox-counts.ts';
import { InboxPages } from './inbox-pages.ts';
import type {
  ActorsPage,
  Catchup,
  ExplainedDecision,
  InboxService,
  MarkRequest,
  PageQuery,
  PageText,
  Why,
} from './inbox-service.ts';
import type { InboxStore, PersonHead } from './inbox-store.ts';
import type { Item } from './item.ts';
import { itemState, nextSnoozeEnd } from './item-state.ts';
import { MarksPlanner } from './marks-request.ts';
import { idTimeMs } from './notification-id.ts';
import { listJson, notificationJson } from './notification-json.ts';
import { personRevision } from './person-revision.ts';
import { CursorSigner } from './signed-cursor.ts';
import { type Describe, toActor, toNotification } from './to-notification.ts';

export interface InboxServiceParts {
  readonly store: InboxStore;
  readonly clock: Clock;
  /** At least 32 bytes; see `CursorSigner`. */
  readonly cursorSecret: Uint8Array;
  readonly describe: Describe;
  /** Reasons in plain words; in those of ours unless given. */
  readonly explain?: LiveContent['explain'];
  /** The language a person is written to, which goes before the one that is asked for. Never rejects. */
  readonly localeOf?: (person: PersonKey) => Promise<string | null>;
}

export class InboxServiceStore implements InboxService {
  readonly #store: InboxStore;
  readonly #clock: Clock;
  readonly #describe: Describe;
  readonly #explain: LiveContent['explain'];
  readonly #localeOf: (person: PersonKey) => Promise<string | null>;
  readonly #signer: CursorSigner;
  readonly #counts: InboxCounts;
  readonly #pages: InboxPages;
  readonly #planner: MarksPlanner;

  constructor(parts: InboxServiceParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#describe = parts.describe;
    this.#explain = parts.explain ?? builtInContent.explain;
    this.#localeOf = parts.localeOf ?? (() => Promise.resolve(null));
    this.#signer = new CursorSigner(parts.cursorSecret);
    this.#counts = new InboxCounts(parts.store, parts.clock);
    this.#pages = new InboxPages(parts.store, this.#signer);
    this.#planner = new MarksPlanner(parts.store);
  }

  async page(person: PersonKey, query: PageQuery): Promise<NotificationPage> {
    const describe = await this.#describeIn(person, query.locale);
    const { items, marks, nextCursor, counts, nowMs } = await this.#page(person, query);
    return { items: items.map((item) => toNotification(item, marks, nowMs, describe)), nextCursor, counts };
  }

  async pageText(person: PersonKey, query: PageQuery): Promise<PageText> {
    const describe = await this.#describeIn(person, query.locale);
    const { items, marks, nextCursor, counts, nowMs } = await this.#page(person, query);
    const list = listJson(items.map((item) => notificationJson(item, marks, nowMs, describe)));
    const json = `{"items":${list},"nextCursor":${JSON.stringify(nextCursor)},"counts":${JSON.stringify(counts)}}`;
    return { json: Buffer.from(json), nextCursor, validUntilMs: nextSnoozeEnd(marks, nowMs) };
  }

  async notification(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Notification> {
    const describe = await this.#describeIn(person, locale);
    const item = await this.#item(person, id);
    return toNotification(item, await this.#store.marks(person), this.#clock.now(), describe);
  }

  async actors(person: PersonKey, id: NotificationId, cursor: string | null, limit: number): Promise<ActorsPage> {
    const scope = ['actors', person, id];
    const [timeMs, actor] = cursor === null ? [] : (this.#signer.open(scope, cursor) as [number, string]);
    const after = timeMs === undefined || actor === undefined ? null : { timeMs, id: actor };
    const item = await this.#item(person, id);
    const members = await this.#store.members(person, id);
    // An item of one event may be kept without members: its own actors are all there is.
    if (members.length === 0) return { items: after === null ? item.actors.map(toActor) : [], nextCursor: null };
    const { actors, last } = actorsAfter(members, after, limit);
    return { items: actors.map(toActor), nextCursor: last && this.#signer.sign(scope, [last.timeMs, last.id]) };
  }

  async why(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Why> {
    const item = await this.#item(person, id);
    const { source, id: eventId } = item.openedBy;
    return {
      event: { source, id: eventId, type: item.type, time: new Date(idTimeMs(item.id)).toISOString() },
      decisions: await this.#explained(person, forAllChannels(item.decisions), locale),
    };
  }

  async decisions(person: PersonKey, eventId: string | null): Promise<readonly ExplainedDecision[]> {
    const found = await decisionLog(this.#store, person, eventId);
    const explained = found.map(async (each) => {
      const all = each.notification === null ? onAllChannels(each.decisions) : forAllChannels(each.decisions);
      return { ...each, decisions: await this.#explained(person, all) };
    });
    return Promise.all(explained);
  }

  async #explained(person: PersonKey, decisions: readonly ChannelDecision[], locale?: string | null) {
    const own = (await this.#localeOf(person)) ?? locale;
    return decisions.map((decision) => ({ ...decision, text: this.#explain(decision, own) }));
  }

  /** To be called by whoever keeps the shard's owner from writing this person. */
  async erase(person: PersonKey): Promise<void> {
    await this.#store.erase(person, nextRevision(0, this.#clock.now()));
  }

  async counts(person: PersonKey): Promise<Counts> {
    return this.#counts.of(person, await this.#store.head(person, limits.changesMax));
  }

  async changes(person: PersonKey, since: Revision, locale?: string | null): Promise<ChangesFrame | ResyncFrame> {
    return changesFrame(await this.#frameFacts(person, locale), since);
  }

  async mark(person: PersonKey, request: MarkRequest): Promise<MarksFrame> {
    const head = await this.#store.head(person, limits.changesMax);
    const version = nextRevision(head.marks.version, this.#clock.now());
    const { patch, items } = await this.#planner.plan(person, request, head, version);
    const marks = patch === null ? head.marks : await this.#store.mergeMarks(person, patch);
    return this.#marksFrame(person, { ...head, marks }, items);
  }

  async catchup(person: PersonKey, since: Revision | null): Promise<Catchup> {
    const facts = await this.#frameFacts(person);
    const { user } = splitPersonKey(person);
    const hello = { kind: 'hello', user, revision: personRevision(facts.head), counts: facts.counts } as const;
    if (since === null) return { hello, frames: [] };
    return { hello, frames: [...changesFrames(facts, since), marksSince(facts, since)] };
  }

  async #marksFrame(person: PersonKey, head: PersonHead, items: readonly Item[]): Promise<MarksFrame> {
    const { marks } = head;
    const nowMs = this.#clock.now();
    return {
      kind: 'marks',
      readThrough: marks.readThrough,
      seenThrough: marks.seenThrough,
      items: items.map((item) => ({ id: item.id, state: itemState(item, marks, nowMs) })),
      counts: await this.#counts.of(person, head),
    };
  }

  async #frameFacts(person: PersonKey, locale?: string | null): Promise<FrameFacts> {
    const describe = await this.#describeIn(person, locale);
    const head = await this.#store.head(person, changesHeadRows);
    const nowMs = this.#clock.now();
    const toWire = (item: Item): Notification => toNotification(item, head.marks, nowMs, describe);
    return { head, counts: await this.#counts.of(person, head), nowMs, toWire };
  }

  async #describeIn(person: PersonKey, asked: string | null = null): Promise<Describe> {
    const locale = (await this.#localeOf(person)) ?? asked;
    return locale === null ? this.#describe : (item) => this.#describe(item, locale);
  }

  /** A live item. Throws CARILLON_NOTIFICATION_UNKNOWN, alike for whatever reason there is none. */
  async #page(person: PersonKey, query: PageQuery) {
    const nowMs = this.#clock.now();
    const head = await this.#store.head(person, limits.changesMax);
    const page = await this.#pages.read(person, query, head, nowMs);
    return { ...page, nowMs, counts: await this.#counts.of(person, head) };
  }

  async #item(person: PersonKey, id: NotificationId): Promise<Item> {
    const item = await this.#store.item(person, id);
    if (item === null || item.state === 'removed') {
      throw new CarillonError('CARILLON_NOTIFICATION_UNKNOWN', 'There is no such notification for you');
    }
    return item;
  }
}

/** Of a person who can only be reached in the app, rows say nothing of the other channels. */
function forAllChannels(decisions: readonly ChannelDecision[]): readonly ChannelDecision[] {
  const unsaid = channels.filter((channel) => !decisions.some((decision) => decision.channel === channel));
  return [...decisions, ...unsaid.map((channel) => ({ channel, kind: 'skip', reason: 'noEndpoint' }) as const)];
}

/** What left no row is told nowhere, for one reason. */
function onAllChannels([first]: readonly ChannelDecision[]): readonly ChannelDecision[] {
  return first === undefined ? [] : channels.map((channel) => ({ ...first, channel }));
}
