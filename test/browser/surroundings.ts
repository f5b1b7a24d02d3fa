/** Where the browser tests run: one browser and one server for all of them. */
import type { Browser } from 'playwright-core';

/** Filled before the first test. */
export interface Surroundings {
  browser: Browser;
  url: string;
  /** The id of a person who has no inbox yet. */
  person: (name: string) => string;
}
