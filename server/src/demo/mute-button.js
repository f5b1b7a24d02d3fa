/** The button that mutes whoever acted last in a row, and takes that back (D3). */
import { el, icon } from './dom.js';

/** `isMuted(person)` and `toggle(person)` are the page's. `element` is the button; `show(item)` draws it for a row. */
export function muteButton({ isMuted, toggle }) {
  let last;
  const press = () => last !== undefined && toggle(last);
  const words = el('span');
  const element = el('button', { type: 'button', class: 'row-button mute', on: { click: press } }, icon('mute'), words);

  function show(item) {
    [last] = item.actors;
    element.hidden = last === undefined;
    if (last === undefined) return;
    const muted = isMuted(last);
    element.dataset.muted = String(muted);
    words.textContent = `${muted ? 'Unmute' : 'Mute'} ${last.name ?? last.id}`;
    element.title = words.textContent;
  }

  return { element, show, press };
}
