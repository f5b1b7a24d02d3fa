/** A reporter for `node --test` that writes the totals of the whole run as one line of JSON, for our own summary. */
import type { TestEvent } from 'node:test/reporters';

export interface TestCounts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

export default async function* testCounts(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    // Each file has a summary of its own; the one of the run names no file.
    if (event.type === 'test:summary' && event.data.file === undefined) yield `${JSON.stringify(event.data.counts)}\n`;
  }
}
