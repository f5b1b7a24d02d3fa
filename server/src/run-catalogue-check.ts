/** The catalogue's part of `carillon check`: prints what a change would break, and keeps what is released if asked to. */

import { ConfigError } from './base/config-error.ts';
import type { Config } from './base/config-schema.ts';
import { breakLine, checkCatalogue, writeReleased } from './content/check-catalogue.ts';

/** Answers false if something that was released would break. Throws CatalogueError, or ConfigError. */
export function runCatalogueCheck({ content }: Config, isRelease: boolean): boolean {
  const { types, breaks } = checkCatalogue(content);
  if (isRelease) {
    if (content.releasedTypes === undefined) {
      throw new ConfigError([{ path: 'content.releasedTypes', detail: 'must name the file that is to be written' }]);
    }
    writeReleased(content.releasedTypes, types);
    console.log(`${types.length} types are released in ${content.releasedTypes}.`);
    return true;
  }
  for (const each of breaks) console.log(breakLine(each));
  if (breaks.length > 0) {
    console.log(
      'Such changes break what was released. If they are meant, `carillon check --release` takes them for released.',
    );
  }
  return breaks.length === 0;
}
