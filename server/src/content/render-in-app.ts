/** What the inbox shows of an item beside its facts: words, where it leads, what can be done with it. Pure. */
import { actionUrl, type LinkedFacts } from './action-url.ts';
import type { TypeTexts } from './locale-words.ts';
import type { TextFacts } from './message-arguments.ts';
import { safeLink } from './safe-link.ts';
import type { TypeEntry } from './type-entry.ts';

export interface ShownAction {
  readonly id: string;
  readonly label: string;
  readonly url: string;
}

export interface InAppDescription {
  readonly text: { readonly title: string; readonly body: string };
  readonly url: string | null;
  readonly actions: readonly ShownAction[];
  /** The row is about what its object belongs to: for comments that share a row, the post they stand under. */
  readonly aboutParent: boolean;
}

export interface DescribedFacts extends TextFacts, LinkedFacts {
  readonly actors: TextFacts['actors'];
  readonly object: TextFacts['object'] &
    LinkedFacts['object'] & {
      readonly url: string | null;
      readonly parent:
        | (NonNullable<TextFacts['object']['parent']> &
            NonNullable<LinkedFacts['object']['parent']> & { readonly url: string | null })
        | null;
    };
}

const noActions: readonly ShownAction[] = [];

/** `type`: undefined where the catalogue has it no more. A comment without a link of its own leads to what it is about. */
export function renderInApp(facts: DescribedFacts, type: TypeEntry | undefined, texts: TypeTexts): InAppDescription {
  const { object } = facts;
  return {
    text: { title: texts.title(facts), body: facts.mentioned ? texts.mentioned(facts) : texts.body(facts) },
    url: safeLink(object.url) ?? safeLink(object.parent?.url ?? null),
    actions: type === undefined || type.actions.length === 0 ? noActions : shownActions(facts, type, texts),
    aboutParent: type !== undefined && type.grouping === 'parent' && object.parent !== null,
  };
}

/** Those that have a label and a link. */
export function shownActions(facts: DescribedFacts, type: TypeEntry, texts: TypeTexts): ShownAction[] {
  return type.actions.flatMap(({ id, url }) => {
    const label = texts.actions.get(id)?.(facts) ?? '';
    const link = actionUrl(url, facts);
    return label === '' || link === null ? [] : [{ id, label, url: link }];
  });
}
