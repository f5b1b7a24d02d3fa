/**
 * Mends a fault of the Cassandra driver (since NODEJS-632, in 4.9 and 4.10): when its control connection has lost every
 * node, it begins anew and puts a new host in the place of each one it knew, without closing the former. That one goes
 * on reconnecting for ever, holds connections nobody uses, and keeps the process from ending after `shutdown` (M4).
 */
import type { Client } from 'cassandra-driver';

interface Host {
  /** False: without waiting for what is under way, which the new host's callers ask for again. */
  shutdown(waitForPending: boolean): Promise<void>;
}

interface HostMap {
  on(event: 'remove', listener: (host: Host) => void): void;
}

export function shutReplacedHosts(client: Client): void {
  const hosts = client.hosts as unknown as HostMap;
  hosts.on('remove', (host) => {
    host.shutdown(false).catch(() => {});
  });
}
