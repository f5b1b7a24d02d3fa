/** One service under test, whatever it is made of: started, stopped, killed and looked into. */
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import type { Exit, LogEntry } from './server-process.ts';

export interface ServiceRun {
  /** Where producers and people reach it. */
  readonly url: string;
  /** What it has logged since its last start. */
  readonly logged: readonly LogEntry[];
  readonly shards: number;
  /** Starts it, on the data there is. */
  start(): Promise<void>;
  /** Stops it as asked; the data stay. */
  stop(): Promise<Exit>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** All series of a metric. */
  metric(name: string): Promise<number[]>;
  /** Resolves once everything acknowledged is in the inboxes, and on its way to the streams. */
  settled(): Promise<void>;
  /** Its log and store, for what nobody can do from outside. While it is stopped. */
  withLog(work: (log: EventLog) => Promise<unknown>): Promise<void>;
  withStore(work: (store: InboxStore) => Promise<unknown>): Promise<void>;
  /** After it has stopped. */
  close(): Promise<void>;
}
