/** Reads pages of many people: closed loop for the rate, open loop for the latency. Runs in the driver's process. */
import { Histogram, type LatencySummary } from '../lib/histogram.ts';
import { HttpConnection, requestHead } from '../lib/http-connection.ts';
import { type Pace, sleep } from './sender.ts';

export interface ReadRequest {
  readonly path: string;
  /** Null where the server asks for none. */
  readonly token: string | null;
}

export interface ReadReport {
  readonly reads: number;
  readonly perSecond: number;
  readonly bytesEach: number;
  readonly latency: LatencySummary;
  readonly failed: Readonly<Record<string, number>>;
  readonly driverCpuSeconds: number;
}

/** `pace.perSecond` counts reads; they go round the list, so that neighbours in time are different people. */
export async function readAll(port: number, requests: readonly ReadRequest[], pace: Pace): Promise<ReadReport> {
  const heads = requests.map(({ path, token }) => {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return requestHead('GET', path, headers);
  });
  const connections = await Promise.all(Array.from({ length: pace.connections }, () => HttpConnection.open(port)));
  const latency = new Histogram();
  const failed: Record<string, number> = {};
  let reads = 0;
  let bytes = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const gapMs = pace.perSecond === null ? 0 : 1000 / pace.perSecond;
  const work = async (connection: HttpConnection): Promise<void> => {
    for (;;) {
      const number = reads++;
      const dueMs = pace.perSecond === null ? performance.now() : began + number * gapMs;
      if (dueMs - began >= pace.durationMs) return;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0.5) await sleep(waitMs);
      const answer = await connection.send(heads[number % heads.length] ?? '', null);
      latency.record((performance.now() - dueMs) * 1000);
      bytes += answer.body.length;
      if (answer.status !== 200) {
        const key = `${answer.status} ${answer.body.toString('utf8', 0, 160)}`;
        failed[key] = (failed[key] ?? 0) + 1;
      }
    }
  };
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  const done = latency.total;
  return {
    reads: done,
    perSecond: done / seconds,
    bytesEach: bytes / Math.max(1, done),
    latency: latency.summary(),
    failed,
    driverCpuSeconds: (used.user + used.system) / 1e6,
  };
}
