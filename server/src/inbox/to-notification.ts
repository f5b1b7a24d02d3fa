/** An item and a person's marks as the wire shows them (contract/notification.ts). Pure. */
import type { Notification, NotificationActor } from '@carillon/contract/notification.ts';
import { isoTime } from '../base/iso-time.ts';
import type { InAppDescription } from '../content/render-in-app.ts';
import { safeLink } from '../content/safe-link.ts';
import type { Item, ItemActor, ItemObject, Marks } from './item.ts';
import { itemState } from './item-state.ts';

/** `locale`: any language tag; the default locale if null or absent. */
export type Describe = (item: Item, locale?: string | null) => InAppDescription;

export function toNotification(item: Item, marks: Marks, nowMs: number, describe: Describe): Notification {
  const { text, url, actions, subjectUrl, aboutParent } = describe(item);
  const object = subjectOf(item, aboutParent);
  return {
    id: item.id,
    type: item.type,
    category: item.category,
    lane: item.lane,
    actors: item.actors.map(toActor),
    actorCount: item.actorCount,
    actorCountIsEstimate: item.actorCountIsEstimate,
    object: { kind: object.kind, id: object.id, title: object.title, url: subjectUrl },
    mentioned: item.mentioned,
    text: { ...text },
    url,
    image: safeLink(item.object.image),
    actions: [...actions],
    createdAt: isoTime(item.createdAtMs),
    activityAt: isoTime(item.activityAtMs),
    revision: item.revision,
    activityRevision: item.activityRevision,
    state: itemState(item, marks, nowMs),
  };
}

/** What the row is about: for comments that share a row, the post they stand under. */
export function subjectOf({ object }: Item, aboutParent: boolean): Pick<ItemObject, 'kind' | 'id' | 'title' | 'url'> {
  return aboutParent && object.parent !== null ? object.parent : object;
}

export function toActor(actor: ItemActor): NotificationActor {
  return { id: actor.id, name: actor.name, avatar: safeLink(actor.avatar) };
}
