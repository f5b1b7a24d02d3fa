/** What a provider of the soak saw of one attempt. One line each in its file, by which it outlives everything. */
import { createWriteStream, readFileSync } from 'node:fs';

export type Did = 'take' | 'retry' | 'throttle' | 'cut' | 'gone' | 'doubt' | 'refuse' | 'block';

export interface SeenSend {
  readonly channel: 'push' | 'email';
  readonly atMs: number;
  /** When it was answered, or given up. */
  readonly endedAtMs: number;
  /** A device's token, or an address. */
  readonly endpoint: string;
  /** Null where the mail itself never came. */
  readonly event: string | null;
  /** The sender's own name for it: of the delivery, or Message-ID. Null as `event`. */
  readonly id: string | null;
  /** What it was called in the answer. */
  readonly givenId: string | null;
  readonly did: Did;
  readonly isAnswered: boolean;
  /** How long it was told to wait. */
  readonly afterMs: number | null;
}

export class SeenFile {
  readonly #stream;
  count = 0;

  constructor(path: string) {
    this.#stream = createWriteStream(path, { flags: 'a' });
  }

  add(seen: SeenSend): void {
    this.count++;
    this.#stream.write(`${JSON.stringify(seen)}\n`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#stream.end(resolve);
    });
  }
}

export function readSeen(path: string): SeenSend[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SeenSend);
}
