/**
 * A notification as JSON text: what `JSON.stringify(toNotification(…))` gives, to the letter (a test says so), without
 * the objects in between. Frames and pages are made of these, some hundred thousand a second.
 */
import { isoTime } from '../base/iso-time.ts';
import { safeLink } from '../content/safe-link.ts';
import type { Item, ItemActor, Marks } from './item.ts';
import { isArchived, isRead, isSeen, isSnoozed } from './item-state.ts';
import { type Describe, subjectOf } from './to-notification.ts';

export function notificationJson(item: Item, marks: Marks, nowMs: number, describe: Describe): string {
  const { text, url, actions, subjectUrl, aboutParent } = describe(item);
  const object = subjectOf(item, aboutParent);
  return (
    `{"id":"${item.id}","type":${quoted(item.type)},"category":${quoted(item.category)},"lane":"${item.lane}",` +
    `"actors":[${actorsJson(item.actors)}],"actorCount":${item.actorCount},` +
    `"actorCountIsEstimate":${item.actorCountIsEstimate},` +
    `"object":{"kind":${quoted(object.kind)},"id":${quoted(object.id)},"title":${quotedOrNull(object.title)},` +
    `"url":${quotedOrNull(subjectUrl)}},"mentioned":${item.mentioned},` +
    `"text":{"title":${quoted(text.title)},"body":${quoted(text.body)}},"url":${quotedOrNull(url)},` +
    `"image":${quotedOrNull(safeLink(item.object.image))},"actions":${actions.length === 0 ? '[]' : JSON.stringify(actions)},` +
    `"createdAt":"${isoTime(item.createdAtMs)}","activityAt":"${isoTime(item.activityAtMs)}",` +
    `"revision":${item.revision},"activityRevision":${item.activityRevision},"state":${stateJson(item, marks, nowMs)}}`
  );
}

/** JSON of a list of texts that are JSON already. */
export function listJson(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

function actorsJson(actors: readonly ItemActor[]): string {
  let json = '';
  for (const { id, name, avatar } of actors) {
    if (json !== '') json += ',';
    json += `{"id":${quoted(id)},"name":${quotedOrNull(name)},"avatar":${quotedOrNull(safeLink(avatar))}}`;
  }
  return json;
}

function stateJson(item: Item, marks: Marks, nowMs: number): string {
  const mark = marks.items.get(item.id);
  const untilMs = isSnoozed(mark, nowMs) ? (mark?.snoozedUntilMs?.value ?? null) : null;
  return (
    `{"seen":${isSeen(item, mark, marks)},"read":${isRead(item, mark, marks)},"archived":${isArchived(mark)},` +
    `"snoozedUntil":${untilMs === null ? 'null' : `"${isoTime(untilMs)}"`}}`
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON must escape
const escapes = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return escapes.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}
