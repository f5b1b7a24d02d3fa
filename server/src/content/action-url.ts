/** Links of action buttons (C4): a template with parts of the event in braces, each escaped, so that an id stays an id. */
import type { LinkRule } from './safe-link.ts';

export interface LinkedFacts {
  readonly actors: readonly { readonly id: string }[];
  readonly actorCount: number;
  readonly object: {
    readonly kind: string;
    readonly id: string;
    readonly parent: { readonly kind: string; readonly id: string } | null;
  };
}

const parts: Readonly<Record<string, (facts: LinkedFacts) => string | undefined>> = {
  // Of several people none is meant.
  actorId: ({ actors, actorCount }) => (actorCount > 1 ? undefined : actors[0]?.id),
  objectKind: ({ object }) => object.kind,
  objectId: ({ object }) => object.id,
  parentKind: ({ object }) => object.parent?.kind,
  parentId: ({ object }) => object.parent?.id,
};

const braces = /\{([^{}]*)\}/g;

/** The names in a template that stand for nothing. */
export function actionArguments(template: string): string[] {
  return [...template.matchAll(braces)].map(([, name = '']) => name).filter((name) => !Object.hasOwn(parts, name));
}

/** Null where the event lacks a part, or what comes out is no link that may be shown. */
export function actionUrl(template: string, facts: LinkedFacts, link: LinkRule): string | null {
  let isWhole = true;
  const url = template.replace(braces, (_, name: string) => {
    const part = parts[name]?.(facts) ?? '';
    // Dots alone would lead to another place in the app, escaped or not.
    if (/^\.{0,2}$/.test(part)) isWhole = false;
    return encodeURIComponent(part);
  });
  return isWhole ? link(url) : null;
}
