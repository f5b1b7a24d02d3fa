/**
 * The words of a notification in the inbox, in plain English, per built-in type; any other type gets words that are
 * true of anything (C6). Pure: the same item always reads the same.
 */
import { limits } from '../base/limits.ts';
import { cleanText, inSentence } from './user-text.ts';

/** What the words depend on: the part of an item that a reader sees. */
export interface TextFacts {
  readonly type: string;
  /** Newest first, at most three. */
  readonly actors: readonly { readonly id: string; readonly name: string | null }[];
  readonly actorCount: number;
  readonly object: {
    readonly kind: string;
    readonly title: string | null;
    readonly parent: { readonly kind: string; readonly title: string | null } | null;
  };
  /** A comment or reply that also mentions the reader. */
  readonly mentioned: boolean;
}

export interface InAppText {
  readonly title: string;
  readonly body: string;
}

export function inAppText(facts: TextFacts): InAppText {
  const words = wordsByType.get(facts.type) ?? otherWords;
  const body = words.body(facts);
  return { title: words.title, body: facts.mentioned && words.mentioned ? words.mentioned(facts) : body };
}

interface Words {
  readonly title: string;
  readonly body: (facts: TextFacts) => string;
  /** Instead of `body` where the reader is mentioned too. */
  readonly mentioned?: (facts: TextFacts) => string;
}

const wordsByType: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['post.liked', { title: 'Likes', body: (facts) => `${who(facts)} liked your ${thing(facts)}` }],
  ['post.reacted', { title: 'Reactions', body: (facts) => `${who(facts)} reacted to your ${thing(facts)}` }],
  ['post.reposted', { title: 'Reposts', body: (facts) => `${who(facts)} reposted your ${thing(facts)}` }],
  ['post.published', { title: 'New post', body: (facts) => saying(facts, 'posted') }],
  [
    'comment.created',
    {
      title: 'Comments',
      body: (facts) => saying(facts, `commented on your ${parent(facts, 'post')}`),
      mentioned: (facts) => saying(facts, `commented and mentioned you on your ${parent(facts, 'post')}`),
    },
  ],
  ['comment.liked', { title: 'Likes', body: (facts) => `${who(facts)} liked your ${thing(facts)}` }],
  [
    'reply.created',
    {
      title: 'Replies',
      body: (facts) => saying(facts, 'replied'),
      mentioned: (facts) => saying(facts, 'replied and mentioned you'),
    },
  ],
  ['mention.created', { title: 'Mentions', body: (facts) => saying(facts, `mentioned you in a ${kind(facts)}`) }],
  ['user.followed', { title: 'Followers', body: (facts) => `${who(facts)} followed you` }],
  ['follow.requested', { title: 'Follow requests', body: (facts) => `${who(facts)} asked to follow you` }],
  ['follow.accepted', { title: 'Follow requests', body: (facts) => `${who(facts)} accepted your follow request` }],
  ['message.sent', { title: 'Messages', body: (facts) => saying(facts, 'sent you a message') }],
  ['message.requested', { title: 'Message requests', body: (facts) => `${who(facts)} would like to message you` }],
  ['group.posted', { title: 'Group activity', body: (facts) => saying(facts, 'posted in your group') }],
  [
    'group.invited',
    { title: 'Invitations', body: (facts) => `${who(facts)} invited you to ${named(facts, 'a group')}` },
  ],
  ['live.started', { title: 'Live', body: (facts) => saying(facts, 'went live') }],
  ['system.notice', { title: 'Notice', body: (facts) => statement(facts, 'There is news for you') }],
  ['security.alert', { title: 'Security alert', body: (facts) => statement(facts, 'Check your recent activity') }],
]);

const otherWords: Words = { title: 'Notification', body: (facts) => saying(facts, 'has news for you') };

/** "Ana", "Ana and Bo", "Ana, Bo and Cy", "Ana, Bo and 5 others". */
function who({ actors, actorCount }: TextFacts): string {
  const [first, second, third] = actors;
  if (first === undefined) return actorCount > 1 ? `${grouped(actorCount)} people` : 'Someone';
  if (second === undefined || actorCount <= 1) {
    const others = actorCount - 1;
    return others > 0 ? `${name(first)} and ${othersText(others)}` : name(first);
  }
  if (actorCount === 2) return `${name(first)} and ${name(second)}`;
  if (actorCount === 3 && third !== undefined) return `${name(first)}, ${name(second)} and ${name(third)}`;
  return `${name(first)}, ${name(second)} and ${othersText(actorCount - 2)}`;
}

function othersText(count: number): string {
  return count === 1 ? '1 other' : `${grouped(count)} others`;
}

/** 12345 as 12,345. */
function grouped(count: number): string {
  return count < 1000 ? String(count) : count.toLocaleString('en');
}

function name(actor: { readonly id: string; readonly name: string | null }): string {
  return shown(actor.name) || shown(actor.id) || 'Someone';
}

/** `post “My trip”`, or `post`. */
function thing({ object }: TextFacts): string {
  return withTitle(object.kind, object.title);
}

function parent({ object }: TextFacts, fallback: string): string {
  return withTitle(object.parent?.kind ?? fallback, object.parent?.title ?? null);
}

function withTitle(kind: string, title: string | null): string {
  const text = shown(title);
  return text === '' ? kind : `${kind} “${text}”`;
}

function kind({ object }: TextFacts): string {
  return object.kind;
}

function named({ object }: TextFacts, fallback: string): string {
  return shown(object.title) || fallback;
}

/** "Ana replied: Nice!", or "Ana replied" where the thing has no words of its own. */
function saying(facts: TextFacts, verb: string): string {
  // Several people said several things: the newest words would be put in everybody's mouth.
  const text = facts.actorCount > 1 ? '' : shown(facts.object.title);
  return text === '' ? `${who(facts)} ${verb}` : `${who(facts)} ${verb}: ${text}`;
}

function statement({ object }: TextFacts, fallback: string): string {
  return cleanText(object.title ?? '', limits.inAppTitleBytesMax) || fallback;
}

/** User text as it may stand in a sentence; empty where there is nothing to see. */
function shown(text: string | null): string {
  return text === null ? '' : inSentence(text, limits.inAppTitleBytesMax);
}
