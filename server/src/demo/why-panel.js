/** Why a row is there, in the service's own sentences: a button, and what it opens (D12). */
import { decisionList } from './decision-list.js';
import { el } from './dom.js';

/** `ask()` answers the decisions. */
export function whyPanel(ask) {
  const panel = el('div', { class: 'why', hidden: true });
  const button = el('button', { type: 'button', class: 'row-button', 'aria-expanded': 'false', text: 'Why this?' });
  button.addEventListener('click', toggle);

  async function toggle() {
    const open = panel.hidden;
    panel.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (!open) return;
    panel.replaceChildren(el('p', { text: 'Looking it up…' }));
    try {
      panel.replaceChildren(...explanation(await ask()));
    } catch (error) {
      panel.replaceChildren(el('p', { text: error.message }));
    }
  }

  return { button, panel, toggle };
}

function explanation({ decisions, event }) {
  return [
    decisionList(decisions),
    el('p', { class: 'why-event', lang: 'en', text: `Event ${event.id ?? ''} · ${event.type ?? ''}` }),
  ];
}
