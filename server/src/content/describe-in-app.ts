/** What the inbox shows of an item beside its facts: words, where it leads, what can be done with it. */
import { inAppText, type TextFacts } from './in-app-text.ts';
import { safeLink } from './safe-link.ts';

export interface InAppDescription {
  readonly text: { readonly title: string; readonly body: string };
  readonly url: string | null;
  readonly actions: readonly { readonly id: string; readonly label: string; readonly url: string }[];
}

export interface DescribedFacts extends TextFacts {
  readonly object: TextFacts['object'] & {
    readonly url: string | null;
    readonly parent: (NonNullable<TextFacts['object']['parent']> & { readonly url: string | null }) | null;
  };
}

const noActions: InAppDescription['actions'] = [];

/** Pure. A comment without a link of its own leads to what it is about. */
export function describeInApp(facts: DescribedFacts): InAppDescription {
  const { object } = facts;
  return {
    text: inAppText(facts),
    url: safeLink(object.url) ?? safeLink(object.parent?.url ?? null),
    actions: noActions,
  };
}
