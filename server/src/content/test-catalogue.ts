/** Catalogue files of an app, for tests: written into a folder of their own, which goes when the test ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CatalogueError, problemLine } from './catalogue-problem.ts';
import type { CatalogueSource } from './catalogue-source.ts';
import { readCatalogue } from './read-catalogue.ts';

export class TestCatalogue {
  readonly folder = mkdtempSync(join(tmpdir(), 'carillon-types-'));
  readonly settings = { typeFiles: [this.folder], defaultLocale: 'en', linkSchemes: [] };

  constructor(test: TestContext) {
    test.after(() => rmSync(this.folder, { recursive: true }));
  }

  write(text: string, name = 'app.yaml'): this {
    writeFileSync(join(this.folder, name), text);
    return this;
  }

  read(): CatalogueSource {
    return readCatalogue(this.settings);
  }

  /** Mistakes in one line each, without the folder: `app.yaml:3:5: types.a.b: … (schema)`. */
  mistakes(): string[] {
    try {
      this.read();
      return [];
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return error.problems.map((problem) => problemLine(problem).replace(`${this.folder}/`, ''));
    }
  }
}
