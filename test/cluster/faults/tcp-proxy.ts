/**
 * A network link that can be made bad: a TCP port whose connections go to another port, with what real networks do to
 * them. Bytes are never lost, changed or reordered, since TCP would not let that happen; they come late, or no longer.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type LinkFault =
  | { readonly kind: 'none' }
  /** Every byte comes so much later, each way. */
  | { readonly kind: 'latency'; readonly delayMs: number }
  /** All connections together pass so many bytes a second, both ways. */
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** Connections end with a reset, and new ones at once as well. */
  | { readonly kind: 'cut' }
  /** Nothing passes and nobody is told, as when a cable is pulled. */
  | { readonly kind: 'silence' };

/** So much may be under way before the sender is held back, as a network would. */
const underwayBytesMax = 1024 * 1024;

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #fault: LinkFault = { kind: 'none' };
  #changed = Promise.withResolvers<void>();
  /** When the bandwidth that was given away so far is used up. */
  #busyUntilMs = 0;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** `port` 0 takes any free one. */
  static async open(target: number, port = 0): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const proxy = new TcpProxy(server, typeof address === 'object' && address !== null ? address.port : 0);
    server.on('connection', (client) => proxy.#connect(client, target));
    return proxy;
  }

  get fault(): LinkFault {
    return this.#fault;
  }

  /** From now on; what is under way is affected too. */
  set(fault: LinkFault): void {
    this.#fault = fault;
    this.#busyUntilMs = 0;
    if (fault.kind === 'cut') this.#resetAll();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async close(): Promise<void> {
    this.set({ kind: 'cut' });
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Resolves when `bytes` that came in at `cameMs` may go out. */
  async admit(cameMs: number, bytes: number): Promise<void> {
    for (;;) {
      const fault = this.#fault;
      const changed = this.#changed.promise;
      if (fault.kind === 'none' || fault.kind === 'cut') return;
      if (fault.kind !== 'silence') {
        const dueMs = fault.kind === 'latency' ? cameMs + fault.delayMs : this.#reserve(bytes, fault.bytesPerSecond);
        if (await waited(dueMs, changed)) return;
      } else await changed;
    }
  }

  #reserve(bytes: number, bytesPerSecond: number): number {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, performance.now()) + (bytes / bytesPerSecond) * 1000;
    return this.#busyUntilMs;
  }

  #connect(client: Socket, target: number): void {
    if (this.#fault.kind === 'cut') {
      client.on('error', ignored);
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as [Socket, Socket]]) {
      from.setNoDelay(true);
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => this.#pairs.delete(pair));
      forward(from, to, this);
    }
  }

  #resetAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#pairs.clear();
  }
}

/** False: something changed before the time had come. */
async function waited(dueMs: number, changed: Promise<void>): Promise<boolean> {
  const leftMs = dueMs - performance.now();
  if (leftMs <= 0) return true;
  const early = new AbortController();
  const time = pause(leftMs, true, { signal: early.signal }).catch(() => false);
  const isTime = await Promise.race([time, changed.then(() => false)]);
  early.abort();
  return isTime;
}

/** One direction of one connection, in order. */
function forward(from: Socket, to: Socket, proxy: TcpProxy): void {
  const underway: { cameMs: number; chunk: Buffer | null }[] = [];
  let bytes = 0;
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    for (let next = underway.shift(); next !== undefined && !to.destroyed; next = underway.shift()) {
      const { cameMs, chunk } = next;
      await proxy.admit(cameMs, chunk?.length ?? 0);
      if (to.destroyed) break;
      if (chunk === null) to.end();
      else if (!to.write(chunk)) await drained(to);
      bytes -= chunk?.length ?? 0;
      if (bytes < underwayBytesMax) from.resume();
    }
    isSending = false;
  };
  const take = (chunk: Buffer | null): void => {
    underway.push({ cameMs: performance.now(), chunk });
    bytes += chunk?.length ?? 0;
    if (bytes >= underwayBytesMax) from.pause();
    if (!isSending) void send();
  };
  from.on('data', take);
  from.on('end', () => take(null));
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

function ignored(): void {}
