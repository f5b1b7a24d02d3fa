/** What the inbox shows of an item beside its facts: words, where it leads, what can be done with it. Pure. */
import { actionUrl, type LinkedFacts } from './action-url.ts';
import type { TypeTexts } from './locale-words.ts';
import type { TextFacts } from './message-arguments.ts';
import type { LinkRule } from './safe-link.ts';
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
  /** Of what the row is about. */
  readonly subjectUrl: string | null;
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

/** What a text is made with: the type, undefined where the catalogue has it no more; its words; which links are shown. */
export interface RenderedWith {
  readonly type: TypeEntry | undefined;
  readonly texts: TypeTexts;
  readonly link: LinkRule;
}

/** A comment without a link of its own leads to what it is about. */
export function renderInApp(facts: DescribedFacts, use: RenderedWith): InAppDescription {
  const { object } = facts;
  const { type, texts, link } = use;
  const ownUrl = link(object.url);
  const parentUrl = object.parent === null ? null : link(object.parent.url);
  const aboutParent = type !== undefined && type.grouping === 'parent' && object.parent !== null;
  return {
    text: { title: texts.title(facts), body: facts.mentioned ? texts.mentioned(facts) : texts.body(facts) },
    url: ownUrl ?? parentUrl,
    actions: type === undefined || type.actions.length === 0 ? noActions : shownActions(facts, type, use),
    subjectUrl: aboutParent ? parentUrl : ownUrl,
    aboutParent,
  };
}

/** Those that have a label and a link. */
export function shownActions(
  facts: DescribedFacts,
  type: TypeEntry,
  { texts, link }: Pick<RenderedWith, 'texts' | 'link'>,
): ShownAction[] {
  return type.actions.flatMap(({ id, url }) => {
    const label = texts.actions.get(id)?.(facts) ?? '';
    const target = actionUrl(url, facts, link);
    return label === '' || target === null ? [] : [{ id, label, url: target }];
  });
}
