/**
 * What happens to the cluster: each fault strikes, lasts, and is mended, and the cluster must bear it without help. The list
 * is gone through in turn; who is struck is drawn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../server/src/base/random.ts';
import type { FaultCluster, LinkKind, Member, RoleSet, ServiceKind } from './fault-cluster.ts';
import type { LinkFault } from './tcp-proxy.ts';

export interface Fault {
  readonly name: string;
  /** Resolves when it has been mended; what it did may still be felt. */
  strike(cluster: FaultCluster, random: Random): Promise<void>;
}

/** How long the faults of a link last. */
const linkMs = 6000;
/** Longer than any session, so that whoever is away so long has lost its shards to another without having been told. */
const longMs = 20_000;

export const faultList: readonly Fault[] = [
  kill('shard'),
  killService('kafka'),
  onLinks('cassandra', 'shard', { kind: 'cut' }),
  kill('gateway,api'),
  killService('cassandra'),
  kill('intake'),
  onLinks('kafka', 'shard', { kind: 'silence' }, longMs),
  killService('redis'),
  onLinks('clients', 'all', { kind: 'latency', delayMs: 60 }),
  freeze('shard', longMs),
  onLinks('redis', 'all', { kind: 'cut' }),
  onLinks('cassandra', 'all', { kind: 'latency', delayMs: 60 }),
  onLinks('kafka', 'one', { kind: 'cut' }),
  onLinks('kafka', 'all', { kind: 'latency', delayMs: 60 }),
  onLinks('cassandra', 'one', { kind: 'bandwidth', bytesPerSecond: 100_000 }),
  onLinks('redis', 'one', { kind: 'silence' }),
  freeze('intake', linkMs),
  onLinks('kafka', 'one', { kind: 'bandwidth', bytesPerSecond: 100_000 }),
  onLinks('cassandra', 'shard', { kind: 'silence' }),
  freeze('gateway,api', linkMs),
  onLinks('redis', 'all', { kind: 'latency', delayMs: 60 }),
  onLinks('clients', 'one', { kind: 'cut' }),
  onLinks('kafka', 'all', { kind: 'cut' }),
];

/** How many of them, from the top, make up the short run: each kind of process and service, and the ways to lose a shard. */
export const shortFaults = 10;

/** One that the rebalancer leaves alone, so that two hands are never on one process. */
function drawn(cluster: FaultCluster, random: Random, roles: RoleSet): Member {
  const members = cluster.of(roles);
  const count = roles === 'shard' ? members.length - 1 : members.length;
  return members[random.below(count)] as Member;
}

function kill(roles: RoleSet): Fault {
  return {
    name: `SIGKILL of a process (${roles})`,
    async strike(cluster, random) {
      const { process } = drawn(cluster, random, roles);
      await process.kill();
      await process.ready();
    },
  };
}

function freeze(roles: RoleSet, lastsMs: number): Fault {
  return {
    name: `a process stands still for ${lastsMs / 1000} s (${roles})`,
    async strike(cluster, random) {
      const { process } = drawn(cluster, random, roles);
      process.freeze();
      await pause(lastsMs);
      process.thaw();
    },
  };
}

function killService(kind: ServiceKind): Fault {
  return {
    name: `SIGKILL of ${kind}`,
    async strike(cluster, random) {
      await cluster.killService(kind);
      await pause(random.below(2000));
      await cluster.restartService(kind);
    },
  };
}

function onLinks(kind: LinkKind, whose: 'all' | 'one' | RoleSet, fault: LinkFault, lastsMs = linkMs): Fault {
  return {
    name: `${fault.kind} on the link to ${kind} of ${whose === 'shard' ? 'one shard process' : whose}`,
    async strike(cluster, random) {
      const one =
        whose === 'shard' ? drawn(cluster, random, 'shard') : cluster.members[random.below(cluster.members.length)];
      const struck = whose === 'all' ? cluster.members : [one as Member];
      for (const { links } of struck) links[kind].set(fault);
      await pause(lastsMs);
      for (const { links } of struck) links[kind].set({ kind: 'none' });
    },
  };
}
