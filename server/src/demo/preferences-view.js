/**
 * The panel of what a person chose: its parts, and one place where a change that failed is told. A part shows what the server
 * has, and asks for changes; it never guesses.
 */
import { ChannelSwitches } from './channel-switches.js';
import { announce, el } from './dom.js';
import { LanguageChoice } from './language-choice.js';
import { nameOf } from './people-names.js';
import { QuietChoice } from './quiet-choice.js';

export class PreferencesView {
  #model;
  #abort = new AbortController();
  #error = document.getElementById('choices-error');
  #muted = document.getElementById('muted');
  #parts;

  constructor(model) {
    this.#model = model;
    const { signal } = this.#abort;
    const change = (patch, said) => this.#run(() => model.change(patch), said);
    this.#parts = [
      new QuietChoice({ change, signal }),
      new ChannelSwitches({ change, signal }),
      new LanguageChoice({ change, signal }),
    ];
    model.addEventListener('change', () => this.#draw(), { signal });
    this.#error.hidden = true;
    this.#run(() => model.load());
  }

  close() {
    this.#abort.abort();
  }

  /** Whether it was done; `said` is announced then. */
  async #run(work, said) {
    this.#error.hidden = true;
    try {
      await work();
      if (said !== undefined && !this.#abort.signal.aborted) announce(said);
      return true;
    } catch (error) {
      if (this.#abort.signal.aborted) return false;
      const faults = error.faults?.map(({ detail }) => detail) ?? [];
      this.#error.textContent = `Not changed: ${[error.message, ...faults].join(' ')}`;
      this.#error.hidden = false;
      return false;
    }
  }

  #draw() {
    for (const part of this.#parts) part.draw(this.#model.preferences);
    const people = this.#model.mutes.filter(({ kind }) => kind === 'actor');
    const hadFocus = this.#muted.contains(document.activeElement);
    const items = people.map(({ id }) => {
      const unmute = () => this.#run(() => this.#model.unmute(id), `${nameOf(id)} is no longer muted.`);
      const button = el('button', { type: 'button', class: 'link', text: 'Unmute', on: { click: unmute } });
      button.setAttribute('aria-label', `Unmute ${nameOf(id)}`);
      return el('li', {}, el('span', { dir: 'auto', text: nameOf(id) }), button);
    });
    const nobody = el('li', {}, el('span', { class: 'quiet', text: 'Nobody. “Mute” below a notification does it.' }));
    this.#muted.replaceChildren(...(items.length === 0 ? [nobody] : items));
    // The pressed button is gone with its person: the heading takes the focus.
    if (hadFocus) document.getElementById('muted-title').focus();
  }
}
