/** A switch for each category and channel, as it applies now: by choice or by the catalogue (D2). */
import { channelNames } from './decision-list.js';
import { el } from './dom.js';

const channels = Object.keys(channelNames);

export class ChannelSwitches {
  #body = document.getElementById('switches');
  #defaults = document.getElementById('switches-default');
  #change;
  /** Category to its row of inputs: made once, so that focus stays. */
  #rows = new Map();

  /** `change(patch, said)` asks the server. Ends with `signal`. */
  constructor({ change, signal }) {
    this.#change = change;
    this.#body.replaceChildren();
    const forget = () => change({ categories: null }, 'Back to the defaults.');
    this.#defaults.addEventListener('click', forget, { signal });
  }

  draw({ resolved, categories }) {
    this.#defaults.disabled = Object.keys(categories ?? {}).length === 0;
    const byCategory = Map.groupBy(Object.values(resolved.types), ({ category }) => category);
    for (const [category, types] of byCategory) {
      if (!this.#rows.has(category)) this.#addRow(category, types);
      for (const channel of channels) drawSwitch(this.#rows.get(category)[channel], types, channel);
    }
  }

  #addRow(category, types) {
    const name = capitalised(category);
    const inputs = Object.fromEntries(channels.map((channel) => [channel, this.#input(category, channel)]));
    const always = types.every(isCritical) ? el('span', { class: 'always', text: 'always' }) : null;
    const cells = channels.map((channel) => el('td', {}, inputs[channel]));
    this.#body.append(el('tr', {}, el('th', { scope: 'row' }, name, always), cells));
    this.#rows.set(category, inputs);
  }

  #input(category, channel) {
    const label = `${capitalised(category)}: ${channelNames[channel]}`;
    const input = el('input', { type: 'checkbox', class: 'switch', 'aria-label': label });
    input.addEventListener('change', () => {
      const patch = { categories: { [category]: { [channel]: input.checked } } };
      this.#change(patch, `${label}: ${input.checked ? 'on' : 'off'}`);
    });
    return input;
  }
}

/** Half on where types of the category differ. What is critical cannot be switched. */
function drawSwitch(input, types, channel) {
  const on = types.filter((type) => type[channel].on).length;
  input.checked = on === types.length;
  input.indeterminate = on > 0 && on < types.length;
  input.disabled = types.every(isCritical);
}

function isCritical(type) {
  return channels.every((channel) => type[channel].from === 'critical');
}

function capitalised(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
