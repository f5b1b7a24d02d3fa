/** A pause, quiet hours of every day, and in words when the next held thing would be delivered (D7). */
import { everyDay, everyDaySpan, heldBackWords } from './held-back.js';

const hourMs = 3_600_000;
const tickMs = 15_000;
const usualNight = { from: '22:00', to: '08:00' };

export class QuietChoice {
  #preferences = null;
  /** What somebody has typed and not saved stays. */
  #touched = false;
  #parts;

  /** `change(patch, said)` asks the server, and answers whether it was done. Ends with `signal`. */
  constructor({ change, signal }) {
    const part = (id) => document.getElementById(id);
    const parts = {
      held: part('held'),
      pause: part('pause'),
      form: part('quiet-form'),
      from: part('quiet-from'),
      to: part('quiet-to'),
      zone: part('quiet-zone'),
      save: part('quiet-save'),
      off: part('quiet-off'),
      differs: part('quiet-differs'),
    };
    this.#parts = parts;
    parts.held.textContent = '';
    fillZones(parts.zone, ownZone());
    parts.pause.addEventListener('click', () => this.#togglePause(change), { signal });
    parts.form.addEventListener(
      'input',
      () => {
        this.#touched = true;
      },
      { signal },
    );
    parts.form.addEventListener('submit', (event) => this.#save(event, change), { signal });
    parts.off.addEventListener('click', () => this.#turnOff(change), { signal });
    const ticking = setInterval(() => this.#drawHeld(), tickMs);
    signal.addEventListener('abort', () => clearInterval(ticking));
  }

  draw(preferences) {
    this.#preferences = preferences;
    const { from, to, zone, save, off, differs } = this.#parts;
    const { quietHours, resolved } = preferences;
    const isOn = quietHours?.enabled === true;
    const span = everyDaySpan(quietHours);
    if (!this.#touched) {
      ({ from: from.value, to: to.value } = span ?? usualNight);
      fillZones(zone, resolved.timeZone.value ?? ownZone());
    }
    save.textContent = isOn ? 'Save' : 'Turn on';
    off.hidden = !isOn;
    differs.hidden = !isOn || span !== null;
    this.#drawHeld();
  }

  get #isPaused() {
    const until = this.#preferences?.pausedUntil;
    return Boolean(until) && Date.parse(until) > Date.now();
  }

  #drawHeld() {
    if (this.#preferences === null) return;
    const { resolved, quietHours } = this.#preferences;
    // Quiet hours of somebody without a zone are in UTC; a pause ends at the same moment everywhere.
    const zone = resolved.timeZone.value ?? (quietHours?.enabled ? 'UTC' : ownZone());
    const words = heldBackWords(this.#preferences, zone, Date.now());
    const clocks = /\d:\d/.test(words) ? ` Times are those of ${zone.replaceAll('_', ' ')}.` : '';
    const { held, pause } = this.#parts;
    if (held.textContent !== words + clocks) held.textContent = words + clocks;
    pause.textContent = this.#isPaused ? 'Resume now' : 'Pause for an hour';
    pause.setAttribute('aria-pressed', String(this.#isPaused));
  }

  #togglePause(change) {
    if (this.#isPaused) return change({ pausedUntil: null }, 'Resumed.');
    change({ pausedUntil: new Date(Date.now() + hourMs).toISOString() }, 'Paused for an hour.');
  }

  /** What was refused stays to be corrected. */
  async #save(event, change) {
    event.preventDefault();
    const { from, to, zone } = this.#parts;
    const isDone = await change(
      { timeZone: zone.value, quietHours: everyDay(from.value, to.value) },
      `Quiet every day from ${from.value} to ${to.value}.`,
    );
    if (isDone) this.#touched = false;
  }

  #turnOff(change) {
    this.#touched = false;
    this.#parts.save.focus(); // the button that has it is about to go
    change({ quietHours: null }, 'Quiet hours are off.');
  }
}

function ownZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All zones that the browser knows, and `chosen` even if it does not. */
function fillZones(select, chosen) {
  if (select.options.length === 0) {
    const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
    select.replaceChildren(...[...zones].map((zone) => new Option(zone.replaceAll('_', ' '), zone)));
  }
  if (![...select.options].some(({ value }) => value === chosen)) select.add(new Option(chosen, chosen));
  select.value = chosen;
}
