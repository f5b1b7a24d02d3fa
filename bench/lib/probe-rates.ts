/** The raw limits of the pipeline's stages, each as notifications per second of a load like ours. */

import type { OpenOptions } from '../driver/driver.ts';
import { levelPutRate } from '../probes/level-puts.ts';
import { logAppendRate } from '../probes/log-append.ts';
import { DriverProcess } from './driver-process.ts';
import { type ServerOptions, ServerProcess } from './server-process.ts';

/** What our run looked like, so that the probes do the same work. */
export interface LoadShape {
  readonly bytesPerEvent: number;
  readonly framesPerEvent: number;
  readonly bytesPerFrame: number;
}

export interface StageLimits {
  readonly intake: number;
  readonly log: number;
  readonly inbox: number;
  readonly sockets: number;
}

const rowBytes = 450;
const commitBytes = 256 * 1024;
export const drainServer: ServerOptions = { module: 'bench/probes/drain-server.ts', readyPath: '/' };
export const socketServer: ServerOptions = { module: 'bench/probes/socket-server.ts', readyPath: '/' };

export async function stageLimits(shape: LoadShape, plan: Omit<OpenOptions, 'port'>, ms: number): Promise<StageLimits> {
  return {
    intake: await drainRate(plan, ms),
    log: logAppendRate(commitBytes, ms) / shape.bytesPerEvent,
    inbox: await levelPutRate(rowBytes, ms),
    sockets: (await frameRate(plan, shape.bytesPerFrame, ms)) / Math.max(0.01, shape.framesPerEvent),
  };
}

/** Events per second through a server that only reads them. */
export async function drainRate(plan: Omit<OpenOptions, 'port'>, ms: number, connections = 16): Promise<number> {
  const server = await ServerProcess.start(drainServer);
  try {
    const driver = await DriverProcess.open('raw', { ...plan, port: server.port, listen: false });
    const run = await driver.run({ perSecond: null, durationMs: ms, connections });
    await driver.close();
    return run.ackedPerSecond;
  } finally {
    await server.stop();
  }
}

/** Frames per second to as many sockets as the plan has recipients, the clients' reading included. */
export async function frameRate(plan: Omit<OpenOptions, 'port'>, bytes: number, ms: number): Promise<number> {
  const server = await ServerProcess.start(socketServer);
  try {
    const driver = await DriverProcess.open('raw', { ...plan, port: server.port, listen: true });
    const url = `http://127.0.0.1:${server.port}/blast?bytes=${Math.round(bytes)}&ms=${ms}`;
    const report = (await (await fetch(url, { method: 'POST' })).json()) as { frames: number; seconds: number };
    await driver.close();
    return report.frames / report.seconds;
  } finally {
    await server.stop();
  }
}
