/** What a schema cannot say of types: names that must be there, and keys that do not go together (C1). */

import { actionArguments } from './action-url.ts';
import type { CatalogueFile } from './catalogue-file.ts';
import type { CatalogueProblem } from './catalogue-problem.ts';
import type { TypeDeclaration } from './type-declaration.ts';

/** Stands for a type that a file names in a way that cannot be used: nothing is known of it but that it is meant to be. */
export const brokenType: Partial<TypeDeclaration> = {};

/** `types`: as they are once all files are put together; only what `file` says is its mistake. */
export function checkTypes(
  file: CatalogueFile,
  types: ReadonlyMap<string, Partial<TypeDeclaration>>,
): CatalogueProblem[] {
  return Object.keys(file.types).flatMap((name) => {
    const whole = types.get(name) as Partial<TypeDeclaration>;
    return typeMistakes(whole, types).map(([key, kind, detail]) =>
      file.problemAt(['types', name, ...(key === '' ? [] : [key])], kind, detail),
    );
  });
}

type Mistake = readonly [key: string, kind: CatalogueProblem['kind'], detail: string];

function typeMistakes(type: Partial<TypeDeclaration>, types: ReadonlyMap<string, Partial<TypeDeclaration>>): Mistake[] {
  return [
    ...missingKeys(type),
    ...undoMistakes(type, types),
    ...mentionMistakes(type, types),
    ...shapeMistakes(type),
    ...actionMistakes(type),
  ];
}

function missingKeys(type: Partial<TypeDeclaration>): Mistake[] {
  return (['category', 'lane'] as const)
    .filter((key) => type[key] === undefined)
    .map((key) => ['', 'schema', `A new type needs \`${key}\`.`]);
}

function undoMistakes(
  { rule = 'notify', undoes = [] }: Partial<TypeDeclaration>,
  types: ReadonlyMap<string, Partial<TypeDeclaration>>,
): Mistake[] {
  const mistakes: Mistake[] = [];
  if (rule === 'undo' && undoes.length === 0) mistakes.push(['rule', 'conflict', 'An undo names what it `undoes`.']);
  if (rule !== 'undo' && undoes.length > 0) mistakes.push(['undoes', 'conflict', 'Only `rule: undo` undoes types.']);
  for (const name of undoes) {
    const undone = types.get(name);
    if (undone === brokenType) continue;
    if (undone === undefined) mistakes.push(['undoes', 'reference', `There is no type \`${name}\`.`]);
    else if ((undone.rule ?? 'notify') !== 'notify') {
      mistakes.push(['undoes', 'conflict', `\`${name}\` tells nobody, so there is nothing to undo.`]);
    }
  }
  return mistakes;
}

function mentionMistakes(
  { rule = 'notify', isMention = false, mention }: Partial<TypeDeclaration>,
  types: ReadonlyMap<string, Partial<TypeDeclaration>>,
): Mistake[] {
  const mistakes: Mistake[] = [];
  if (isMention && rule !== 'notify') mistakes.push(['isMention', 'conflict', 'A mention has `rule: notify`.']);
  if (mention === undefined) return mistakes;
  if (rule !== 'notify' && rule !== 'edit') {
    mistakes.push(['mention', 'conflict', 'Only things that are told of, and edits, mention people.']);
  }
  if (isMention) mistakes.push(['mention', 'conflict', 'A mention cannot itself have one.']);
  if (types.get(mention) === brokenType) return mistakes;
  if (types.get(mention) === undefined) mistakes.push(['mention', 'reference', `There is no type \`${mention}\`.`]);
  else if (types.get(mention)?.isMention !== true) {
    mistakes.push(['mention', 'conflict', `\`${mention}\` is not a mention: it lacks \`isMention: true\`.`]);
  }
  return mistakes;
}

function shapeMistakes(type: Partial<TypeDeclaration>): Mistake[] {
  const { rule = 'notify', grouping = 'alone', channels = {}, email, family, critical, notify } = type;
  const mistakes: Mistake[] = [];
  const tells = rule === 'notify';
  if (family !== undefined && grouping !== 'alone') {
    mistakes.push(['family', 'conflict', 'Only types with `grouping: alone` can share rows by `family`.']);
  }
  if (!tells && (channels.inApp || channels.push || channels.email)) {
    mistakes.push(['channels', 'conflict', `A type with \`rule: ${rule}\` tells nobody.`]);
  }
  if (email === 'off' && channels.email === true) {
    mistakes.push(['email', 'conflict', 'The channel is on and `email: off`: one of them is meant.']);
  }
  if (type.emailAfterMinutes !== undefined && email !== 'fallback') {
    mistakes.push(['emailAfterMinutes', 'conflict', 'Only `email: fallback` waits.']);
  }
  if (critical === true && notify === 'trailing') {
    mistakes.push(['notify', 'conflict', 'What is critical cannot wait for a window.']);
  }
  if (
    type.windowSeconds !== undefined &&
    (notify ?? (grouping === 'alone' ? 'immediate' : 'trailing')) === 'immediate'
  ) {
    mistakes.push(['windowSeconds', 'conflict', '`notify: immediate` has no window.']);
  }
  return mistakes;
}

function actionMistakes({ actions = [] }: Partial<TypeDeclaration>): Mistake[] {
  const ids = actions.map(({ id }) => id);
  const mistakes: Mistake[] = [];
  if (new Set(ids).size < ids.length) mistakes.push(['actions', 'conflict', 'Two actions have the same `id`.']);
  for (const { url } of actions) {
    for (const name of actionArguments(url)) {
      mistakes.push(['actions', 'argument', `There is no {${name}} for links.`]);
    }
  }
  return mistakes;
}
