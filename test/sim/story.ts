/**
 * What the simulated app does: people act on posts and comments, change their minds, delete things. Every step is an
 * event with the source's own order (`seq`), so that a plain replay in that order tells what the inboxes must hold.
 */
import type { ActedEvent } from '@carillon/contract/event.ts';
import type { Random } from '../../server/src/base/random.ts';

const recipients = ['r1', 'r2', 'r3'] as const;
const actors = ['a1', 'a2', 'a3', 'a4', 'a5', 'r1'] as const;

interface Toggle {
  readonly on: string;
  readonly off: string;
}

const toggles: readonly Toggle[] = [
  { on: 'post.liked', off: 'post.unliked' },
  { on: 'post.reposted', off: 'post.unreposted' },
  { on: 'user.followed', off: 'user.unfollowed' },
  { on: 'mention.created', off: 'mention.removed' },
];

export interface Story {
  /** The next event, at `timeMs`. */
  next(timeMs: number): ActedEvent;
}

export function createStory(random: Random): Story {
  let number = 0;
  const seqs = new Map<string, number>();
  const pick = <Value>(values: readonly Value[]): Value => values[random.below(values.length)] as Value;

  const toggle = (timeMs: number): ActedEvent => {
    const { on, off } = pick(toggles);
    const [actor, recipient] = [pick(actors), pick(recipients)];
    const object = objectOf(on, recipient, random.below(3));
    const key = `${on} ${actor} ${object.kind} ${object.id}`;
    const seq = (seqs.get(key) ?? 0) + 1;
    seqs.set(key, seq);
    return event(timeMs, { type: seq % 2 === 1 ? on : off, actor, recipient, object, seq });
  };

  const standAlone = (timeMs: number): ActedEvent => {
    const [actor, recipient] = [pick(actors), pick(recipients)];
    const type = pick(['message.sent', 'reply.created', 'comment.created'] as const);
    const kind = type === 'message.sent' ? 'message' : 'comment';
    const parent = { kind: 'post', id: `${recipient}-p${random.below(3)}` };
    const object = { kind, id: `${kind}-${number}`, owner: actor, ...(kind === 'comment' ? { parent } : {}) };
    return event(timeMs, { type, actor, recipient, object, seq: 1 });
  };

  const event = (
    timeMs: number,
    {
      type,
      actor,
      recipient,
      object,
      seq,
    }: {
      type: string;
      actor: string;
      recipient: string;
      object: ActedEvent['object'];
      seq: number;
    },
  ): ActedEvent => ({
    id: `e${++number}`,
    source: 'app',
    type,
    time: new Date(timeMs).toISOString(),
    seq,
    actor: { id: actor, name: actor.toUpperCase() },
    object,
    // A follow is about its one recipient.
    to:
      random.below(8) === 0 && object?.kind !== 'user'
        ? { users: [...new Set([recipient, pick(recipients)])] }
        : { user: recipient },
  });

  return { next: (timeMs) => (random.below(3) > 0 ? toggle(timeMs) : standAlone(timeMs)) };
}

function objectOf(type: string, recipient: string, post: number): ActedEvent['object'] {
  if (type === 'user.followed') return { kind: 'user', id: recipient };
  if (type === 'mention.created') return { kind: 'post', id: `m${post}` };
  return { kind: 'post', id: `${recipient}-p${post}`, owner: recipient };
}

/**
 * What must be visible to each recipient once all these events are applied, whatever their order of arrival:
 * per meaning (type, actor, thing) the step with the greatest `seq` stands.
 */
export function expectedPeople(events: readonly ActedEvent[]): Map<string, Set<string>> {
  const last = new Map<string, ActedEvent>();
  for (const each of events) {
    for (const user of usersOf(each)) {
      if (user === each.actor?.id) continue;
      const key = `${user} ${onType(each.type)} ${each.actor?.id} ${each.object?.kind}:${each.object?.id}`;
      if ((last.get(key)?.seq ?? 0) <= (each.seq ?? 0)) last.set(key, each);
    }
  }
  const people = new Map<string, Set<string>>();
  for (const [key, each] of last) {
    if (each.type !== onType(each.type)) continue;
    const user = key.slice(0, key.indexOf(' '));
    const group = `${user} ${groupOf(each)}`;
    people.set(group, (people.get(group) ?? new Set()).add(each.actor?.id ?? ''));
  }
  return people;
}

export function usersOf({ to }: Pick<ActedEvent, 'to'>): readonly string[] {
  return 'user' in to ? [to.user] : 'users' in to ? to.users : [];
}

function onType(type: string): string {
  return toggles.find(({ off }) => off === type)?.on ?? type;
}

/** The row an event belongs to, as the specification words it (D5). */
export function groupOf({ type, actor, object }: Pick<ActedEvent, 'type' | 'actor' | 'object'>): string {
  switch (type) {
    case 'user.followed':
      return type;
    case 'comment.created':
      return `${type} ${object?.parent?.kind}:${object?.parent?.id}`;
    case 'post.liked':
    case 'post.reposted':
      return `${type} ${object?.kind}:${object?.id}`;
    default:
      return `${type} ${actor?.id} ${object?.kind}:${object?.id}`;
  }
}
