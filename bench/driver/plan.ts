/**
 * The load: one lap of events that can be sent again and again, each lap with new ids and a later time, and what must
 * come of it. Reposts join a group per post, and a person writes one post an hour (as SHAPE of the trace suggests);
 * mentions and replies stand alone. A repost counts unless the same actor already reposted that post (D4).
 *
 * Objects are named so that a frame tells which event or group it is about: `zqe<lap>-<event>` and `zqg<lap>-<group>`.
 */
import { readTraceLines } from '../../scripts/trace/read-trace.ts';

export const lapDigits = 4;
/** Replaced in each lap: see `bodies.ts`. */
export const lapMark = '~LP~';
export const dateMark = '~DATE-----';

export interface PlanOptions {
  readonly traceFile: string;
  /** How many lines of the trace make a lap. */
  readonly lines: number;
  /** `trace`: recipients as recorded; `uniform`: every recipient of the lap equally likely. */
  readonly skew: 'trace' | 'uniform';
  /** Recipients at most; events to others are left out (trace) or do not occur (uniform). */
  readonly recipientsMax: number;
}

export interface PlanEvent {
  readonly seq: number;
  readonly kind: 'RT' | 'MT' | 'RE';
  readonly actor: string;
  /** Index into `users`. */
  readonly recipient: number;
  readonly objectId: string;
  readonly timeMs: number;
}

export interface Plan {
  readonly users: readonly string[];
  readonly events: readonly PlanEvent[];
  readonly groups: number;
  /** 1 where the event makes a person hear something new. */
  readonly counted: Uint8Array;
  /** 1 where the event opens a row of its own. */
  readonly opensRow: Uint8Array;
  /** Events of group `g` that count, in order of sending: `groupSeqs[groupStart[g] … groupStart[g + 1]]`. */
  readonly groupStart: Uint32Array;
  readonly groupSeqs: Uint32Array;
  /** Days between one lap and the next: more than the lap spans and than the same-meaning window. */
  readonly lapDays: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export async function makePlan(options: PlanOptions): Promise<Plan> {
  const users: string[] = [];
  const indexOf = new Map<string, number>();
  const raw: { kind: PlanEvent['kind']; actor: string; recipient: number; timeMs: number }[] = [];
  let read = 0;
  for await (const { line } of readTraceLines(options.traceFile)) {
    if (read++ >= options.lines) break;
    // People who repost themselves are never notified (F5); a message is not part of this load.
    if (line.from === line.to || line.kind === 'message') continue;
    let recipient = indexOf.get(line.to);
    if (recipient === undefined && users.length < options.recipientsMax) {
      recipient = users.push(line.to) - 1;
      indexOf.set(line.to, recipient);
    }
    if (recipient !== undefined) raw.push({ kind: line.kind, actor: line.from, recipient, timeMs: line.timeMs });
  }
  if (options.skew === 'uniform') spreadEvenly(raw, users);
  return assemble(raw, users);
}

/** Multiplication by an odd constant walks all recipients before it returns to one, in no order the store could use. */
function spreadEvenly(raw: { actor: string; recipient: number }[], users: readonly string[]): void {
  raw.forEach((event, i) => {
    let recipient = (Math.imul(i + 1, 0x9e3779b1) >>> 0) % users.length;
    if (users[recipient] === event.actor) recipient = (recipient + 1) % users.length;
    event.recipient = recipient;
  });
}

function assemble(
  raw: readonly { kind: PlanEvent['kind']; actor: string; recipient: number; timeMs: number }[],
  users: readonly string[],
): Plan {
  const groupIndex = new Map<string, number>();
  const seqsOfGroup: number[][] = [];
  const members: Set<string>[] = [];
  const counted = new Uint8Array(raw.length);
  const opensRow = new Uint8Array(raw.length);
  const events = raw.map((event, seq): PlanEvent => {
    if (event.kind !== 'RT') {
      counted[seq] = 1;
      opensRow[seq] = 1;
      return { ...event, seq, objectId: `zqe${lapMark}-${seq}` };
    }
    const key = `${event.recipient} ${Math.floor(event.timeMs / hourMs)}`;
    const group = groupIndex.get(key) ?? seqsOfGroup.push([]) - 1;
    groupIndex.set(key, group);
    const people = members[group] ?? new Set<string>();
    members[group] = people;
    if (!people.has(event.actor)) {
      if (people.size === 0) opensRow[seq] = 1;
      people.add(event.actor);
      counted[seq] = 1;
      seqsOfGroup[group]?.push(seq);
    }
    return { ...event, seq, objectId: `zqg${lapMark}-${group}` };
  });
  const times = raw.map((event) => event.timeMs);
  const span = times.reduce((a, b) => Math.max(a, b), 0) - times.reduce((a, b) => Math.min(a, b), Infinity);
  const lapDays = Math.ceil(span / dayMs) + 2;
  return { users, events, groups: seqsOfGroup.length, counted, opensRow, ...flat(seqsOfGroup), lapDays };
}

function flat(lists: readonly (readonly number[])[]): Pick<Plan, 'groupStart' | 'groupSeqs'> {
  const groupStart = new Uint32Array(lists.length + 1);
  lists.forEach((list, i) => {
    groupStart[i + 1] = (groupStart[i] ?? 0) + list.length;
  });
  return { groupStart, groupSeqs: Uint32Array.from(lists.flat()) };
}
