/**
 * The bodies of one lap, rendered once; each lap only overwrites the lap's digits and dates in place. So a body costs the
 * driver a fraction of a microsecond per event. A body is on the wire before its turn comes again a lap later.
 */
import { dateMark, lapDigits, lapMark, type Plan } from './plan.ts';
import type { Target } from './target.ts';

interface Template {
  readonly bytes: Buffer;
  readonly laps: readonly number[];
  readonly dates: readonly number[];
  readonly days: readonly number[];
  readonly firstSeq: number;
  readonly events: number;
}

export interface Post {
  readonly body: Buffer;
  readonly lap: number;
  readonly firstSeq: number;
  readonly events: number;
}

const dayMs = 86_400_000;

export class Bodies {
  readonly #plan: Plan;
  readonly #templates: Template[] = [];
  readonly #batch: number;
  #next = 0;
  #dates: Buffer[] = [];
  #firstDay: number;

  constructor(plan: Plan, target: Target, batch: number) {
    this.#plan = plan;
    this.#batch = batch;
    this.#firstDay = Math.floor(plan.events.reduce((min, e) => Math.min(min, e.timeMs), Infinity) / dayMs);
    for (let at = 0; at < plan.events.length; at += batch) {
      const events = plan.events.slice(at, at + batch);
      const text = target.body(events.map((event) => target.event(event, plan.users[event.recipient] ?? '')));
      const bytes = Buffer.from(text, 'utf8');
      const days = events.map((event) => Math.floor(event.timeMs / dayMs) - this.#firstDay);
      this.#templates.push({
        bytes,
        laps: placesOf(bytes, lapMark),
        dates: placesOf(bytes, dateMark),
        days,
        firstSeq: at,
        events: events.length,
      });
    }
  }

  /** Number of the POST that carries an event, from 0, as `next` hands them out. */
  readonly postOf = (lap: number, seq: number): number => lap * this.#templates.length + Math.floor(seq / this.#batch);

  get bytesPerEvent(): number {
    return this.#templates.reduce((sum, t) => sum + t.bytes.length, 0) / this.#plan.events.length;
  }

  next(): Post {
    const lap = Math.floor(this.#next / this.#templates.length);
    const at = this.#next % this.#templates.length;
    if (at === 0) this.#dates = this.#datesOf(lap);
    this.#next++;
    const template = this.#templates[at];
    if (template === undefined) throw new Error('the plan has no events');
    const lapText = String(lap).padStart(lapDigits, '0');
    for (const place of template.laps) template.bytes.write(lapText, place, 'latin1');
    template.dates.forEach((place, i) => {
      this.#dates[template.days[i] ?? 0]?.copy(template.bytes, place);
    });
    return { body: template.bytes, lap, firstSeq: template.firstSeq, events: template.events };
  }

  #datesOf(lap: number): Buffer[] {
    const days = this.#plan.lapDays;
    return Array.from({ length: days }, (_, i) => {
      const day = this.#firstDay + lap * days + i;
      return Buffer.from(new Date(day * dayMs).toISOString().slice(0, 10), 'latin1');
    });
  }
}

function placesOf(bytes: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}
