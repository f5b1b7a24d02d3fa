/**
 * The type catalogue (C1): what each event type is and does. The built-in social types of the wire are below.
 *
 * `rule` names what an event of the type does to an inbox (decide/rules/): `notify` tells of something, `undo` takes
 * back what other types told, `gone` removes everything about a thing, `edit` follows a changed list of mentions.
 */
import type { Lane } from '@carillon/contract/lanes.ts';

export type Category =
  | 'reactions'
  | 'reposts'
  | 'comments'
  | 'mentions'
  | 'follows'
  | 'messages'
  | 'posts'
  | 'groups'
  | 'live'
  | 'system'
  | 'security';

/** What makes events share a row (D5): the object, its parent, the type alone, or nothing beyond the event's own thing. */
export type Grouping = 'object' | 'parent' | 'kind' | 'alone';

export interface TypeEntry {
  readonly name: string;
  readonly category: Category;
  readonly lane: Lane;
  readonly rule: 'notify' | 'undo' | 'gone' | 'edit';
  readonly grouping: Grouping;
  /** For `undo`: the types whose effect it takes back. */
  readonly undoes: readonly string[];
  /** The app itself speaks: no actor is needed, and none is told apart from the recipient. */
  readonly fromApp: boolean;
  /** Ignores preferences, never suppression (D2). */
  readonly critical: boolean;
}

export interface TypeCatalogue {
  /** The entry for a type as written in an event, version suffix included; undefined for unknown types or versions. */
  find(type: string): TypeEntry | undefined;
  readonly types: readonly TypeEntry[];
}

type Row = [
  name: string,
  category: Category,
  lane: Lane,
  rule: TypeEntry['rule'],
  grouping: Grouping,
  undoes?: string[],
];

const builtIn: Row[] = [
  ['post.liked', 'reactions', 'social', 'notify', 'object'],
  ['post.unliked', 'reactions', 'social', 'undo', 'object', ['post.liked']],
  ['post.reacted', 'reactions', 'social', 'notify', 'object'],
  ['post.unreacted', 'reactions', 'social', 'undo', 'object', ['post.reacted']],
  ['post.reposted', 'reposts', 'social', 'notify', 'object'],
  ['post.unreposted', 'reposts', 'social', 'undo', 'object', ['post.reposted']],
  ['post.published', 'posts', 'bulk', 'notify', 'alone'],
  ['post.deleted', 'posts', 'direct', 'gone', 'alone'],
  ['comment.created', 'comments', 'direct', 'notify', 'parent'],
  ['comment.edited', 'comments', 'direct', 'edit', 'alone'],
  ['comment.deleted', 'comments', 'direct', 'gone', 'alone'],
  ['comment.liked', 'reactions', 'social', 'notify', 'object'],
  ['comment.unliked', 'reactions', 'social', 'undo', 'object', ['comment.liked']],
  ['reply.created', 'comments', 'direct', 'notify', 'alone'],
  ['mention.created', 'mentions', 'direct', 'notify', 'alone'],
  ['mention.removed', 'mentions', 'direct', 'undo', 'alone', ['mention.created']],
  ['user.followed', 'follows', 'social', 'notify', 'kind'],
  ['user.unfollowed', 'follows', 'social', 'undo', 'kind', ['user.followed', 'follow.requested']],
  ['follow.requested', 'follows', 'social', 'notify', 'kind'],
  ['follow.accepted', 'follows', 'social', 'notify', 'kind'],
  ['message.sent', 'messages', 'direct', 'notify', 'alone'],
  ['message.deleted', 'messages', 'direct', 'gone', 'alone'],
  ['message.requested', 'messages', 'direct', 'notify', 'alone'],
  ['group.posted', 'groups', 'bulk', 'notify', 'alone'],
  ['group.invited', 'groups', 'social', 'notify', 'alone'],
  ['live.started', 'live', 'bulk', 'notify', 'alone'],
  ['system.notice', 'system', 'social', 'notify', 'alone'],
  ['security.alert', 'security', 'direct', 'notify', 'alone'],
];

function toEntry([name, category, lane, rule, grouping, undoes = []]: Row): TypeEntry {
  const fromApp = category === 'system' || category === 'security';
  return { name, category, lane, rule, grouping, undoes, fromApp, critical: category === 'security' };
}

/** Every schema so far is version 1, so `@1` and no suffix mean the same (E8). */
export function createTypeCatalogue(types: readonly TypeEntry[]): TypeCatalogue {
  const byName = new Map<string, TypeEntry>();
  for (const type of types) {
    byName.set(type.name, type);
    byName.set(`${type.name}@1`, type);
  }
  return { find: (type) => byName.get(type), types };
}

export const builtInTypes: TypeCatalogue = createTypeCatalogue(builtIn.map(toEntry));
