/**
 * Replays the recorded trace from this page through the public API, like any producer: batches, several at once, the same ids
 * when something must be repeated. Pace: times faster than it happened, or as fast as the server takes it.
 */
import { createApi, pause } from './api.js';
import { announce, number } from './dom.js';

const batchEventsMax = 100;
const batchesAtOnce = 4;
const rateSpanMs = 2000;
const drawMs = 150;
const maxPaceSpeed = Number.POSITIVE_INFINITY;

export function attachTraceReplay() {
  const part = (id) => document.getElementById(id);
  const parts = {
    form: part('replay-form'),
    toggle: part('replay-toggle'),
    progress: part('replay-progress'),
    figures: part('replay-figures'),
  };
  const api = createApi({ source: 'trace' });
  let running = null;

  parts.form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (running !== null) return running.abort();
    running = new AbortController();
    parts.toggle.textContent = 'Stop';
    parts.progress.hidden = false;
    try {
      const run = new Replay({ api, parts, form: parts.form, signal: running.signal });
      announce(await run.run());
    } catch (error) {
      parts.figures.textContent = `Stopped: ${error.message}`;
      announce(parts.figures.textContent);
    }
    running = null;
    parts.toggle.textContent = 'Start';
  });
}

class Replay {
  #api;
  #parts;
  #form;
  #signal;
  #totals = { accepted: 0, duplicate: 0, rejected: 0 };
  #samples = [];
  #inFlight = new Set();
  #failure = null;
  /** Where on the trace's time line we are: speed may change on the way. */
  #traceMs = 0;
  #wallMs = 0;

  constructor({ api, parts, form, signal }) {
    this.#api = api;
    this.#parts = parts;
    this.#form = form;
    this.#signal = signal;
  }

  /** Resolves with a sentence when the end is reached or it was stopped. */
  async run() {
    this.#parts.figures.textContent = 'Loading the trace…';
    const response = await fetch('/demo/trace.ndjson', { signal: this.#signal });
    if (!response.ok) throw new Error('The recorded trace is not there.');
    const events = (await response.text())
      .split('\n')
      .filter((line) => line !== '')
      .map(parseEvent);
    this.#parts.progress.max = events.length;
    const drawing = setInterval(() => this.#draw(events.length), drawMs);
    try {
      await this.#sendAll(events);
    } finally {
      await Promise.allSettled(this.#inFlight);
      clearInterval(drawing);
      this.#draw(events.length);
    }
    return this.#sentence(events.length);
  }

  async #sendAll(events) {
    this.#traceMs = events[0].timeMs;
    this.#wallMs = performance.now();
    let at = 0;
    while (at < events.length && !this.#signal.aborted) {
      this.#advance();
      const due = countDue(events, at, this.#traceMs);
      if (due === 0) {
        await pause(Math.min(200, (events[at].timeMs - this.#traceMs) / this.#speed), this.#signal);
        continue;
      }
      while (this.#inFlight.size >= batchesAtOnce) await Promise.race(this.#inFlight);
      if (this.#failure !== null) throw this.#failure;
      this.#sendBatch(events.slice(at, at + due));
      at += due;
    }
    await Promise.all(this.#inFlight);
    if (this.#failure !== null) throw this.#failure;
  }

  #advance() {
    const now = performance.now();
    this.#traceMs = this.#speed === maxPaceSpeed ? maxPaceSpeed : this.#traceMs + (now - this.#wallMs) * this.#speed;
    this.#wallMs = now;
  }

  get #speed() {
    const choice = new FormData(this.#form).get('speed');
    return choice === 'max' ? maxPaceSpeed : Number(choice);
  }

  #sendBatch(batch) {
    const sent = this.#api
      .send(
        batch.map(({ event }) => event),
        this.#signal,
      )
      .then((results) => {
        for (const { status } of results) this.#totals[status] += 1;
      })
      .catch((error) => {
        this.#failure ??= this.#signal.aborted ? null : error;
      })
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
  }

  get #done() {
    return this.#totals.accepted + this.#totals.duplicate + this.#totals.rejected;
  }

  #draw(total) {
    const now = performance.now();
    this.#samples.push([now, this.#done]);
    while (this.#samples[0][0] < now - rateSpanMs) this.#samples.shift();
    const [fromMs, fromDone] = this.#samples[0];
    const perSecond = Math.round(((this.#done - fromDone) * 1000) / Math.max(drawMs, now - fromMs));
    this.#parts.progress.value = this.#done;
    this.#parts.figures.textContent = `${number(this.#done)} of ${number(total)} · ${number(perSecond)} events/s`;
  }

  #sentence(total) {
    const { accepted, duplicate, rejected } = this.#totals;
    const end = this.#signal.aborted ? `Stopped at ${number(this.#done)} of ${number(total)}` : 'Done';
    const known = duplicate > 0 ? ` · ${number(duplicate)} known already, with no effect` : '';
    const refused = rejected > 0 ? ` · ${number(rejected)} rejected` : '';
    const text = `${end}: ${number(accepted)} accepted${known}${refused}`;
    this.#parts.figures.textContent = text;
    return text;
  }
}

function parseEvent(line) {
  const event = JSON.parse(line);
  return { event, timeMs: Date.parse(event.time) };
}

/** How many events from `at` on are due, one batch at most. */
function countDue(events, at, traceMs) {
  let due = 0;
  while (due < batchEventsMax && at + due < events.length && events[at + due].timeMs <= traceMs) due += 1;
  return due;
}
