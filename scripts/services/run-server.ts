/**
 * Starting, stopping and killing one server. A server outlives the command that started it; only the process in its pid
 * file is ever signalled. Started means: its log says so and its port answers. Neither alone is enough.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { logPath, removePid, runningPid, writePid } from './server-files.ts';
import { type Server, ServiceError } from './service.ts';

/** A first start on a machine that does other things as well takes its time. */
const startWithinMs = 180_000;
const stopWithinMs = 30_000;
const lookEveryMs = 50;

/** Resolves when it serves. False: it ran already. Rejects with ServiceError. */
export async function startServer(server: Server): Promise<boolean> {
  if (runningPid(server) !== null) {
    await serves(server, 0);
    return false;
  }
  if (await portAnswers(server.port)) {
    throw new ServiceError(`${server.name}: port ${server.port} is taken by a process that was not started from here.`);
  }
  mkdirSync(server.folder, { recursive: true });
  const { program, args, user } = await server.prepare();
  const seen = logBytes(server);
  const log = openSync(logPath(server), 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true, cwd: server.folder, ...user });
  closeSync(log);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', ({ message }) => reject(new ServiceError(`${server.name}: ${program}: ${message}`)));
  });
  child.unref();
  if (child.pid !== undefined) writePid(server, child.pid);
  await Promise.race([serves(server, seen), failed]);
  return true;
}

/** Resolves when it has ended in good order, or, after half a minute, by force. False: it did not run. */
export async function stopServer(server: Server): Promise<boolean> {
  const wasRunning = signal(server, server.stopSignal);
  if (wasRunning && !(await ended(server, stopWithinMs))) await killServer(server);
  removePid(server);
  return wasRunning;
}

/** SIGKILL: no chance to write or answer anything. Its data stays. */
export async function killServer(server: Server): Promise<void> {
  if (!signal(server, 'SIGKILL')) throw new ServiceError(`${server.name} does not run, or was not started from here.`);
  if (!(await ended(server, stopWithinMs))) throw new ServiceError(`${server.name} outlives SIGKILL.`);
  removePid(server);
}

function signal(server: Server, name: NodeJS.Signals): boolean {
  const pid = runningPid(server);
  if (pid === null) return false;
  process.kill(pid, name);
  return true;
}

/** The process is gone, and so is its port: other threads of it may hold that a moment longer. */
async function ended(server: Server, withinMs: number): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (runningPid(server) !== null || (await portAnswers(server.port))) {
    if (performance.now() > endMs) return false;
    await pause(lookEveryMs);
  }
  return true;
}

async function serves(server: Server, logFrom: number): Promise<void> {
  const endMs = performance.now() + startWithinMs;
  while (!(server.readyLine.test(logText(server, logFrom)) && (await portAnswers(server.port)))) {
    if (runningPid(server) === null) throw new ServiceError(`${server.name} ended.\n${lastLines(server, logFrom)}`);
    if (performance.now() > endMs) {
      throw new ServiceError(`${server.name} does not serve after 3 minutes.\n${lastLines(server, logFrom)}`);
    }
    await pause(lookEveryMs);
  }
}

const logBytes = (server: Server): number => (existsSync(logPath(server)) ? statSync(logPath(server)).size : 0);

function logText(server: Server, from: number): string {
  return existsSync(logPath(server)) ? readFileSync(logPath(server)).subarray(from).toString() : '';
}

function lastLines(server: Server, from: number): string {
  return `${logText(server, from).trimEnd().split('\n').slice(-15).join('\n')}\n(${logPath(server)})`;
}

export function portAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
