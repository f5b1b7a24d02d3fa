/** Events as the cases tell them: who did what to what, and how many seconds after noon. */
import type { Event } from '@carillon/contract/event.ts';

/** 2026-03-10, noon: where every case begins. */
export const t0Ms = Date.UTC(2026, 2, 10, 12);

export interface When {
  /** Seconds after `t0Ms`. */
  readonly at?: number;
  readonly seq?: number;
  readonly id?: string;
  readonly source?: string;
}

let made = 0;

export function event(type: string, parts: Partial<Event>, { at = 0, seq, id, source = 'posts' }: When = {}): Event {
  return {
    id: id ?? `e${++made}`,
    source,
    type,
    time: new Date(t0Ms + at * 1000).toISOString(),
    ...(seq === undefined ? {} : { seq }),
    ...parts,
  } as Event;
}

/** `like('a1', 'p1', 'r1')`: a1 likes p1, which is r1's. */
export function like(actor: string, post: string, owner: string, when?: When): Event {
  return event('post.liked', aboutPost(actor, post, owner), when);
}

export function unlike(actor: string, post: string, owner: string, when?: When): Event {
  return event('post.unliked', aboutPost(actor, post, owner), when);
}

export function follow(actor: string, user: string, when?: When): Event {
  return event('user.followed', { actor: { id: actor }, object: { kind: 'user', id: user }, to: { user } }, when);
}

/** A message of now, for what must not have expired: it is told on every channel that the person can be reached by. */
export function messageOfNow(user: string): Event {
  const id = `m${++made}`;
  const object = { kind: 'message', id, owner: 'a1', title: 'Hello' };
  const time = new Date().toISOString();
  return { id, source: 'posts', type: 'message.sent', time, actor: { id: 'a1', name: 'Ana' }, object, to: { user } };
}

/** A comment, reply or mention in comment `thing` under p1. */
export function inComment(type: string, thing: string, parts: Partial<Event> & Pick<Event, 'to'>, when?: When): Event {
  const parent = { kind: 'post', id: 'p1', owner: 'r1', title: 'My trip' };
  return event(type, { actor: { id: 'a1' }, object: { kind: 'comment', id: thing, parent }, ...parts }, when);
}

function aboutPost(actor: string, post: string, owner: string): Partial<Event> {
  return {
    actor: { id: actor },
    object: { kind: 'post', id: post, owner, title: `Title of ${post}`, url: `/p/${post}` },
    to: { user: owner },
  };
}
