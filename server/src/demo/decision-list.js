/** What was, or would be, decided for each channel, as a list of sentences. */
import { el } from './dom.js';

export const channelNames = { inApp: 'In the app', push: 'Push', email: 'Email' };

/** `decisions` as `why` and `simulate` answer them; the sentences are in the language of the person. */
export function decisionList(decisions) {
  const items = decisions.map((decision) =>
    el(
      'li',
      { data: { kind: decision.kind } },
      el('b', { text: channelNames[decision.channel] ?? decision.channel }),
      el('span', { dir: 'auto', text: decision.text }),
    ),
  );
  return el('ul', { class: 'decisions' }, items);
}
