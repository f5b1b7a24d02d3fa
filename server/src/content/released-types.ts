/**
 * What a release has promised of its types (E8), and what a later catalogue breaks of it: for producers, whose events must
 * go on being taken, and for records and rows that are there already, which must go on meaning the same.
 * Compared is only what such a promise hangs on; words, windows and channels may change freely.
 */
import type { TypeDeclaration } from './type-declaration.ts';
import type { TypeEntry } from './type-entry.ts';

type Promised = Pick<TypeEntry, 'lane' | 'rule' | 'grouping' | 'family' | 'isMention' | 'fromApp' | 'category'> & {
  readonly undoes: readonly string[];
  readonly mention: string | null;
};

export type ReleasedTypes = Readonly<Record<string, Promised>>;

export interface Break {
  readonly type: string;
  /** Who notices: those who send events, or whoever has records and rows from before. */
  readonly concerns: 'producers' | 'records';
  readonly detail: string;
}

/** To be stored, with types and keys in a fixed order. */
export function releasedTypes(types: readonly TypeEntry[]): ReleasedTypes {
  const byName = [...types].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(
    byName.map(({ name, category, lane, rule, grouping, family, isMention, fromApp, undoes, mention }) => [
      name,
      { category, lane, rule, grouping, family, isMention, fromApp, undoes, mention: mention?.name ?? null },
    ]),
  );
}

/** What `types` break of what was released, in the order of the types' names. */
export function breaks(released: ReleasedTypes, types: readonly TypeEntry[]): Break[] {
  const now = releasedTypes(types);
  return Object.entries(released).flatMap(([type, before]) => {
    const after = now[type];
    if (after === undefined) return goneBreaks(type);
    return [...producerBreaks(before, after), ...recordBreaks(before, after)].map((each) => ({ type, ...each }));
  });
}

function goneBreaks(type: string): Break[] {
  return [
    { type, concerns: 'producers', detail: 'The type is gone: its events are refused.' },
    { type, concerns: 'records', detail: 'The type is gone: its records that are not yet applied are passed over.' },
  ];
}

type Detail = Omit<Break, 'type'>;

function producerBreaks(before: Promised, after: Promised): Detail[] {
  if (!before.fromApp || after.fromApp) return [];
  return [{ concerns: 'producers', detail: '`fromApp` was true: events without an actor or object are refused now.' }];
}

const meanings: readonly (readonly [key: keyof Promised & keyof TypeDeclaration, meaning: string])[] = [
  ['rule', 'records that are applied again mean something else'],
  ['grouping', 'events do not find the rows that are there'],
  ['family', 'events do not find the rows that are there'],
  ['isMention', 'members of rows that are there are not found'],
  ['lane', 'an event may overtake earlier ones of its kind'],
  ['category', "choices that people made for the category don't hold any more"],
];

function recordBreaks(before: Promised, after: Promised): Detail[] {
  const found = meanings
    .filter(([key]) => before[key] !== after[key])
    .map(([key, meaning]) => `\`${key}\` was ${before[key]} and is ${after[key]}: ${meaning}.`);
  if (before.mention !== after.mention)
    found.push('`mention` has changed: comments and mentions do not find each other.');
  for (const name of before.undoes) {
    if (!after.undoes.includes(name)) found.push(`It does not undo \`${name}\` any more.`);
  }
  return found.map((detail) => ({ concerns: 'records', detail }));
}
