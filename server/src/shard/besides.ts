/** What a person has beside rows, in memory: made where it is first asked for, and written with the rows. */
import type { Reason } from '@carillon/contract/reasons.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import type { PersonWrite } from '../inbox/item.ts';
import { DroppedEvents } from './dropped-events.ts';
import { Notes } from './notes.ts';

export class Besides {
  readonly #notesText: string;
  #notes: Notes | null = null;
  #dropped: DroppedEvents | null = null;

  /** `notesText`: as stored; empty where there are none. */
  constructor(notesText: string) {
    this.#notesText = notesText;
  }

  get isDirty(): boolean {
    return this.#notes?.isDirty === true || this.#dropped?.isEmpty === false;
  }

  /** Read only where somebody can be told outside the inbox. */
  get notes(): Notes {
    this.#notes ??= new Notes(this.#notesText);
    return this.#notes;
  }

  /** An event left no row, for this reason. */
  noteDropped({ source, id, type, timeMs, acceptedAtMs }: EventFacts, reason: Reason): void {
    this.#dropped ??= new DroppedEvents(acceptedAtMs);
    this.#dropped.note({ source, id, type: type.name, timeMs, decidedAtMs: acceptedAtMs, reason });
  }

  /** The write with what has changed here. */
  addTo(write: PersonWrite): PersonWrite {
    if (!this.isDirty) return write;
    const notes = this.#notes?.toWrite() ?? null;
    const dropped = this.#dropped?.toWrite() ?? [];
    return { ...write, ...(notes === null ? {} : { notes }), ...(dropped.length === 0 ? {} : { dropped }) };
  }

  written(): void {
    this.#notes?.written();
    this.#dropped?.written();
  }
}
