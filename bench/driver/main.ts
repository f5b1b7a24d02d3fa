/** The driver's process: one request after another from its parent, an answer to each. */

import { Driver, type OpenOptions } from './driver.ts';
import { type ReadRequest, readAll } from './reader.ts';
import type { Pace } from './sender.ts';
import type { Target } from './target.ts';
import { bullmqTarget } from './target-bullmq.ts';
import { carillonNowTarget, carillonTarget } from './target-carillon.ts';
import { centrifugoTarget } from './target-centrifugo.ts';
import { rawTarget } from './target-raw.ts';

const targets = {
  carillon: carillonTarget,
  'carillon-now': carillonNowTarget,
  bullmq: bullmqTarget,
  centrifugo: centrifugoTarget,
  raw: rawTarget,
} satisfies Record<string, Target>;

export type TargetName = keyof typeof targets;

export type DriverRequest =
  | { readonly kind: 'open'; readonly target: TargetName; readonly options: OpenOptions }
  | { readonly kind: 'run'; readonly pace: Pace }
  | { readonly kind: 'read'; readonly port: number; readonly requests: readonly ReadRequest[]; readonly pace: Pace };

let driver: Driver | null = null;

async function answer(request: DriverRequest): Promise<unknown> {
  if (request.kind === 'open') {
    const opened = await Driver.open(targets[request.target], request.options);
    driver = opened.driver;
    return opened.report;
  }
  if (request.kind === 'read') return readAll(request.port, request.requests, request.pace);
  if (driver === null) throw new Error('open the driver first');
  return driver.run(request.pace);
}

process.on('message', (request: DriverRequest) => {
  answer(request).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
