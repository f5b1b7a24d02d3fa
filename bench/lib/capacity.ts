/**
 * From measured cost to what a load needs (M9): plain arithmetic over one recorded footprint, so that the page cannot say
 * anything else than what was measured. It assumes that cost grows in proportion to the load, copies cost what the first
 * one does, and machines are as fast as the one measured.
 */
import type { Part } from './cluster-processes.ts';

/** What one notification costs and leaves behind, as measured. */
export interface Footprint {
  /** Microseconds of CPU, the kernel's included. */
  readonly cpuUs: Readonly<Record<Part, number>>;
  readonly residentMb: Readonly<Record<Part, number>>;
  /** Bytes on disk, one copy. */
  readonly kafkaBytes: number;
  readonly cassandraBytes: number;
  /** Open streams of the gateway that was measured. */
  readonly streams: number;
}

export const assumptions = {
  /** Share of a core that may be busy at the peak: the rest is for a process or machine that is away. */
  busyMax: 0.6,
  /** Replication factor of Kafka and Cassandra; Redis has a replica. */
  copies: { kafka: 3, cassandra: 3, redis: 2 } as Readonly<Partial<Record<Part, number>>>,
  /** Cores of a machine for Kafka, Cassandra or Redis. One of our processes uses one core, and is one of several on a machine. */
  coresPerNode: 8,
  /** At least so many of each, in zones of their own. */
  nodesMin: 3,
  /** N1: a load that is provisioned for 25,000/s has 2,315/s on average. */
  averageShare: 2315 / 25_000,
  logDays: 7,
  inboxDays: 90,
} as const;

export interface Need {
  readonly part: Part;
  /** Busy cores at the peak, all copies. */
  readonly busyCores: number;
  /** Processes of ours, or nodes of a service. */
  readonly count: number;
  readonly memoryGb: number;
  /** All copies together; 0 where nothing lies. */
  readonly diskTb: number;
}

const parts: readonly Part[] = ['intake', 'shard', 'gateway', 'kafka', 'cassandra', 'redis'];
const services: ReadonlySet<Part> = new Set(['kafka', 'cassandra', 'redis']);

export function capacityFor(perSecond: number, footprint: Footprint): Need[] {
  const { busyMax, copies, coresPerNode, nodesMin, averageShare, logDays, inboxDays } = assumptions;
  const perDay = perSecond * averageShare * 86_400;
  const disk: Partial<Record<Part, number>> = {
    kafka: perDay * logDays * footprint.kafkaBytes,
    cassandra: perDay * inboxDays * footprint.cassandraBytes,
  };
  return parts.map((part) => {
    const copied = copies[part] ?? 1;
    const busyCores = (perSecond * footprint.cpuUs[part] * copied) / 1e6;
    const cores = busyCores / busyMax;
    const count = Math.max(nodesMin, Math.ceil(services.has(part) ? cores / coresPerNode : cores));
    return {
      part,
      busyCores,
      count,
      memoryGb: (count * footprint.residentMb[part]) / 1024,
      diskTb: ((disk[part] ?? 0) * copied) / 1e12,
    };
  });
}

/** The section of the page, for these loads. */
export function capacityText(footprint: Footprint, loads: readonly number[]): string {
  const tables = loads.map((perSecond) => {
    const rows = capacityFor(perSecond, footprint).map(({ part, busyCores, count, memoryGb, diskTb }) => {
      const what = services.has(part) ? 'nodes' : 'processes';
      const disk = diskTb === 0 ? '–' : `${fixed(diskTb)} TB`;
      return `| ${part} | ${footprint.cpuUs[part]} µs | ${fixed(busyCores)} | ${count} ${what} | ${fixed(memoryGb)} GB | ${disk} |`;
    });
    return `**${perSecond.toLocaleString('en')} notifications/s at the peak:**

| part | CPU each | busy cores | needed | memory | disk |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  const { busyMax, coresPerNode, nodesMin, logDays, inboxDays } = assumptions;
  return `### Capacity

Computed from the figures above: cores busy to ${100 * busyMax} % at the peak, Kafka and Cassandra with three copies, Redis with two,
${coresPerNode} cores a node, at least ${nodesMin} of each. Disk: ${logDays} days of log (${Math.round(footprint.kafkaBytes)} B a notification) and ${inboxDays} days of inbox
(${Math.round(footprint.cassandraBytes)} B), at the average load that belongs to such a peak. It takes cost to grow in proportion, which a larger cluster must
show; a gateway held ${footprint.streams.toLocaleString('en')} streams, so people who are connected may need more of them than the rate does.

${tables.join('\n')}`;
}

const fixed = (value: number): string => (value >= 10 ? Math.round(value).toLocaleString('en') : value.toFixed(1));
