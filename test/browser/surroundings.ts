import type { Browser } from 'playwright-core';

/** What the browser tests run in; filled before the first of them. */
export interface Surroundings {
  browser: Browser;
  url: string;
  /** The id of a person who has no inbox yet. */
  person: (name: string) => string;
}
