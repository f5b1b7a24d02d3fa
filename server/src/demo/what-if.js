/**
 * "What if?": what would become of something that one of the six might do, asked of the service without doing it (D12).
 * When the person's choices change, what is shown is asked anew.
 */
import { createApi } from './api.js';
import { decisionList } from './decision-list.js';
import { announce, el } from './dom.js';
import { cast, sampleEvents } from './social-events.js';

const api = createApi({ role: 'operator' });

export class WhatIf {
  #abort = new AbortController();
  #person;
  #parts;
  #asked = 0;
  #shown = false;

  /** `post()` answers a post of `person`. */
  constructor({ person, post, preferences }) {
    this.#person = person;
    const part = (id) => document.getElementById(id);
    this.#parts = { form: part('if-form'), who: part('if-who'), what: part('if-what'), answer: part('if-answer') };
    const { form, who, what, answer } = this.#parts;
    who.replaceChildren(...cast.map(({ name }, at) => new Option(name, String(at))));
    what.replaceChildren(...sampleEvents.map(({ words }, at) => new Option(words, String(at))));
    answer.replaceChildren();
    const { signal } = this.#abort;
    const ask = () => this.#ask(sampleEvents[what.value].make(cast[who.value], post(), person));
    const submit = (event) => {
      event.preventDefault();
      ask();
    };
    form.addEventListener('submit', submit, { signal });
    preferences.addEventListener('change', () => this.#shown && ask(), { signal });
  }

  close() {
    this.#abort.abort();
  }

  async #ask(event) {
    const asked = ++this.#asked;
    const isLate = () => asked !== this.#asked || this.#abort.signal.aborted;
    try {
      const { recipients } = await api.request('POST', '/v1/admin/simulate', event);
      if (!isLate()) this.#show(recipients.find(({ user }) => user === this.#person));
    } catch (error) {
      if (!isLate())
        this.#parts.answer.replaceChildren(el('p', { class: 'error', text: `Not answered: ${error.message}` }));
    }
  }

  #show(found) {
    const who = `User ${this.#person}`;
    const told = found?.tells === true;
    const words = told ? `${who} would be told.` : `${who} would not be told anything new.`;
    this.#shown = true;
    this.#parts.answer.replaceChildren(
      el('p', { class: 'if-words', data: { told: String(told) }, text: words }),
      decisionList(found?.decisions ?? []),
      el('p', { class: 'quiet', text: 'Nothing was stored or sent.' }),
    );
    announce(words);
  }
}
