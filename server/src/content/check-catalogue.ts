/** `carillon check` of the catalogue (C1, E8): mistakes, then what a change would break of what was released. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CatalogueSettings, readCatalogue } from './read-catalogue.ts';
import { type Break, breaks, type ReleasedTypes, releasedTypes } from './released-types.ts';
import { resolveTypes } from './resolve-types.ts';
import type { TypeEntry } from './type-entry.ts';

export interface CheckSettings extends CatalogueSettings {
  readonly releasedTypes?: string | undefined;
}

export interface CheckedCatalogue {
  readonly types: readonly TypeEntry[];
  readonly breaks: readonly Break[];
}

/** The types as the service itself last released them. */
const ourRelease = new URL('./types/released.json', import.meta.url);

/** Throws CatalogueError with every mistake. */
export function checkCatalogue(settings: CheckSettings): CheckedCatalogue {
  const types = resolveTypes(readCatalogue(settings).types);
  return { types, breaks: breaks(readReleased(settings.releasedTypes), types) };
}

/** Takes the types as they are for released. */
export function writeReleased(file: string | URL, types: readonly TypeEntry[]): void {
  writeFileSync(file, `${JSON.stringify(releasedTypes(types), null, 2)}\n`);
}

/** The app's own file where there is one, else ours. */
function readReleased(file: string | undefined): ReleasedTypes {
  const path = file !== undefined && existsSync(file) ? file : ourRelease;
  return JSON.parse(readFileSync(path, 'utf8')) as ReleasedTypes;
}

/** `post.liked: `grouping` was … (records)` */
export function breakLine({ type, concerns, detail }: Break): string {
  return `${type}: ${detail} (${concerns})`;
}
