/**
 * Takes the app's catalogue files anew when they have changed, without a restart (C1): looks at them now and then, and at
 * once when asked to. Files that are not right change nothing; what was in use stays, and every mistake is told.
 *
 * The other threads take it first: an event of a new type is let in only where whoever decides on it knows the type.
 */
import { stat } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import { series, telemetry } from '../base/telemetry.ts';
import { CatalogueError } from './catalogue-problem.ts';
import type { CatalogueSource } from './catalogue-source.ts';
import type { LiveContent } from './live-content.ts';
import { type CatalogueSettings, catalogueFiles, readCatalogue } from './read-catalogue.ts';

const taken = series('carillon_catalogue_loads_total', { result: 'taken' });
const refused = series('carillon_catalogue_loads_total', { result: 'refused' });

export interface CatalogueReloadParts {
  readonly settings: CatalogueSettings;
  /** Of the files just before `content` was made of them. */
  readonly stamp: string;
  /** This thread's. */
  readonly content: LiveContent;
  readonly clock: Clock;
  /** Resolves when the other threads use it. */
  readonly useElsewhere: (source: CatalogueSource) => Promise<void>;
  readonly log: Log;
}

export class CatalogueReload {
  readonly #parts: CatalogueReloadParts;
  readonly #stopLooking: () => void;
  #stamp: string;
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: CatalogueReloadParts) {
    this.#parts = parts;
    this.#stamp = parts.stamp;
    this.#stopLooking =
      parts.settings.typeFiles.length === 0
        ? () => {}
        : parts.clock.every(limits.catalogueLookMs, () => void this.look());
  }

  /** Takes the files if they have changed since they were last looked at. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      const stamp = await catalogueStamp(this.#parts.settings);
      if (stamp !== this.#stamp) await this.#take(stamp);
    });
  }

  /** Takes the files as they are. */
  take(): Promise<void> {
    return this.#inTurn(async () => this.#take(await catalogueStamp(this.#parts.settings)));
  }

  /** Resolves when what is being taken has been. */
  stop(): Promise<void> {
    this.#stopLooking();
    return this.#turn;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  async #take(stamp: string): Promise<void> {
    const { settings, content, useElsewhere, log } = this.#parts;
    // Also when it is refused: the same mistake is told once.
    this.#stamp = stamp;
    try {
      const source = readCatalogue(settings);
      await useElsewhere(source);
      content.replace(source);
      telemetry.add(taken);
      log.write('catalogueTaken', { version: content.current.templateVersion });
    } catch (error) {
      telemetry.add(refused);
      log.write('catalogueRefused', {}, error);
      if (!(error instanceof CatalogueError)) return;
      for (const { kind, file, line } of error.problems.slice(0, limits.catalogueMistakesLogged)) {
        log.write('catalogueMistake', { file, line, reason: kind });
      }
    }
  }
}

/** Changes when a file does, comes or goes. */
export async function catalogueStamp(settings: CatalogueSettings): Promise<string> {
  const stamps = catalogueFiles(settings).map(async (file) => {
    const found = await stat(file).catch(() => null);
    return found === null ? `${file} -` : `${file} ${found.mtimeMs} ${found.size} ${found.ino}`;
  });
  return (await Promise.all(stamps)).join('\n');
}
