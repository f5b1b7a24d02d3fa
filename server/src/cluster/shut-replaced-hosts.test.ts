import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'cassandra-driver';
import { shutReplacedHosts } from './shut-replaced-hosts.ts';

interface HostMap {
  set(endpoint: string, host: unknown): void;
}

test('a host whose place another takes is closed, and the other is not', () => {
  const client = new Client({ contactPoints: ['127.0.0.1:1'], localDataCenter: 'datacenter1' });
  shutReplacedHosts(client);
  const closed: string[] = [];
  const host = (name: string) => ({ shutdown: async () => void closed.push(name) });
  const hosts = client.hosts as unknown as HostMap;
  hosts.set('127.0.0.1:1', host('former'));
  assert.deepEqual(closed, []);
  hosts.set('127.0.0.1:1', host('new'));
  assert.deepEqual(closed, ['former']);
});
