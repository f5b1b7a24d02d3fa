/** A producer that does not give up: every batch is sent until it has been taken, in order, whatever happens meanwhile. */
import type { Event } from '@carillon/contract/event.ts';
import { sendBatch } from '../../scripts/trace/send-batch.ts';
import type { Random } from '../../server/src/base/random.ts';
import { pause } from './crashing-server.ts';

const batchEvents = 100;

export interface Sending {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly random: Random;
  readonly progress: { sent: number; repeated: number };
  /** Resolves when the next batch may be sent. */
  readonly next: () => Promise<void>;
}

export async function sendStream(events: readonly Event[], sending: Sending): Promise<void> {
  const { progress } = sending;
  let token: Promise<string> | null = null;
  const ports = {
    ...sending,
    token: (renew: boolean): Promise<string> => {
      if (token === null || renew) token = newToken(sending);
      return token;
    },
    // The dead come back within a second: waiting longer would only make it easy.
    wait: (delayMs: number) => pause(Math.min(delayMs, 100)),
  };
  for (let at = 0; at < events.length; at += batchEvents) {
    const batch = events.slice(at, at + batchEvents);
    await sending.next();
    for (;;) {
      try {
        const counts = await sendBatch(batch, ports);
        if (counts.rejected > 0) throw new Error(`refused: ${counts.firstRejection}`);
        if (counts.retries > 0) progress.repeated++;
        break;
      } catch (error) {
        if ((error as Error).name !== 'SendError' && !(error instanceof TypeError)) throw error;
        progress.repeated++;
        await pause(50);
      }
    }
    progress.sent += batch.length;
  }
}

async function newToken({ url, fetch }: Sending): Promise<string> {
  const body = JSON.stringify({ source: 'trace' });
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    try {
      const answer = await fetch(`${url}/v1/dev/token`, { method: 'POST', body, headers });
      if (answer.ok) return ((await answer.json()) as { token: string }).token;
    } catch {
      // Down at this moment.
    }
    await pause(50);
  }
}
