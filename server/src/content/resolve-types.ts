/**
 * Makes entries of declarations: what a declaration leaves open gets its default here, and names of other types become
 * references. The declarations must have been checked (`check-types.ts`): a name that is not there throws.
 */
import { limits } from '../base/limits.ts';
import type { TypeDeclaration } from './type-declaration.ts';
import type { TypeEntry } from './type-entry.ts';

type Draft = { -readonly [Key in keyof TypeEntry]: TypeEntry[Key] };

/** In the order of the declarations. */
export function resolveTypes(declarations: ReadonlyMap<string, TypeDeclaration>): readonly TypeEntry[] {
  const drafts = new Map<string, Draft>();
  for (const [name, declaration] of declarations) drafts.set(name, toDraft(name, declaration));
  const draft = (name: string): Draft => {
    const found = drafts.get(name);
    if (found === undefined) throw new Error(`the type ${name} is not declared`);
    return found;
  };
  for (const [name, { mention }] of declarations) {
    const entry = draft(name);
    entry.undone = entry.undoes.map(draft);
    if (mention === undefined) continue;
    const mentioned = draft(mention);
    entry.mention = mentioned;
    if (entry.rule === 'notify') mentioned.mentionedIn = [...mentioned.mentionedIn, entry];
  }
  for (const entry of drafts.values()) {
    entry.companions = [...drafts.values()].filter((other) => mayShareRow(entry, other));
  }
  return [...drafts.values()];
}

/** One is told as a mention in the other (BC-04). */
function mayShareRow(a: Draft, b: Draft): boolean {
  if (a.rule !== 'notify' || b.rule !== 'notify' || a.isMention === b.isMention) return false;
  return a.family === b.family || a.mention === b || b.mention === a;
}

/** Every property is set, in one order, so that all entries have one shape. */
function toDraft(name: string, declared: TypeDeclaration): Draft {
  const rule = declared.rule ?? 'notify';
  const grouping = declared.grouping ?? 'alone';
  const critical = declared.critical ?? false;
  return {
    name,
    category: declared.category,
    lane: declared.lane,
    rule,
    grouping,
    family: declared.family ?? name,
    undoes: declared.undoes ?? [],
    undone: [],
    isMention: declared.isMention ?? false,
    mention: null,
    mentionedIn: [],
    companions: [],
    fromApp: declared.fromApp ?? false,
    critical,
    channels: channelsOf(declared),
    notify: declared.notify ?? (grouping === 'alone' ? 'immediate' : 'trailing'),
    windowMs: (declared.windowSeconds ?? limits.notifyWindowSeconds) * 1000,
    ttlMs: (declared.ttlHours ?? limits.typeTtlHours) * 3_600_000,
    collapse: declared.collapse ?? 'row',
    privacy: declared.privacy ?? 'full',
    pushAlways: declared.pushAlways ?? critical,
    emailMode: declared.email ?? 'digest',
    emailAfterMs: (declared.emailAfterMinutes ?? limits.emailAfterMinutes) * 60_000,
    actions: declared.actions ?? [],
  };
}

function channelsOf({ rule = 'notify', channels = {} }: TypeDeclaration): TypeEntry['channels'] {
  const tells = rule === 'notify';
  return { inApp: channels.inApp ?? tells, push: channels.push ?? tells, email: channels.email ?? tells };
}
