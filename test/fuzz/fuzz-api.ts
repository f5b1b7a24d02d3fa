/**
 * The fuzzer itself (A7, R3): sends hostile requests and holds every answer against the served document.
 * A fault throws with the smallest request that shows it and the seed that finds it again.
 */
import { Agent } from 'node:http';
import fc from 'fast-check';
import { type ApiDocument, complaint, loadDocument } from './api-document.ts';
import { type HostileRequest, hostileRequest } from './hostile-requests.ts';
import { hugeBodies } from './hostile-values.ts';
import { rawFaults } from './raw-requests.ts';
import { sendRequest } from './send-request.ts';

export interface FuzzTarget {
  readonly origin: string;
  /** Bearer token per caller kind (`user`, `producer`, `operator`). */
  readonly tokens: Readonly<Record<string, string>>;
  /** Ids and words the server knows. */
  readonly known: readonly string[];
}

export interface FuzzResult {
  readonly requests: number;
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
}

export async function fuzzApi(target: FuzzTarget, runs: number, seed: number): Promise<FuzzResult> {
  const document = await loadDocument(target.origin);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const statuses = new Map<number, number>();
  let requests = 0;
  const judge = async (hostile: HostileRequest): Promise<void> => {
    const received = await sendRequest(target.origin, hostile, agent);
    requests++;
    if (received === null) return;
    statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
    const found = complaint(document, { ...hostile, ...received });
    if (found !== null)
      throw new Error(`${hostile.method} ${hostile.url}: ${found}: ${received.body.subarray(0, 500)}`);
  };
  try {
    await fc.assert(fc.asyncProperty(hostileRequest({ document, ...target }), judge), {
      numRuns: runs,
      seed,
      endOnFailure: false,
      interruptAfterTimeLimit: 30 * 60_000,
      markInterruptAsFailure: true,
    });
    for (const hostile of hugeRequests(document, target)) await judge(hostile);
    const faults = await rawFaults(target.origin);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    agent.destroy();
  }
  return { requests, statuses };
}

/** Every operation that takes a body gets the largest there are, with and without a token. */
function* hugeRequests(document: ApiDocument, { tokens }: FuzzTarget): Generator<HostileRequest> {
  for (const operation of document.operations) {
    for (const type of Object.keys(operation.bodies)) {
      const token = tokens[operation.caller ?? ''];
      const headers = [{ 'content-type': type }, { 'content-type': type, authorization: `Bearer ${token}` }];
      const url = operation.path.replace(/\{[^}]+\}/g, 'x');
      for (const body of hugeBodies) {
        for (const head of headers) yield { method: operation.method, url, headers: head, body };
      }
    }
  }
}
