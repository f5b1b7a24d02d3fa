import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'cassandra-driver';
import { refreshInTurn } from './refresh-in-turn.ts';

/** A control connection whose refreshes end when the test says so. */
class Control {
  calls: unknown[] = [];
  atOnce = 0;
  atOnceMax = 0;
  readonly ends: (() => void)[] = [];

  async _refresh(hosts?: unknown): Promise<void> {
    this.calls.push(hosts);
    this.atOnce++;
    this.atOnceMax = Math.max(this.atOnceMax, this.atOnce);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    this.atOnce--;
  }

  async end(): Promise<void> {
    this.ends.shift()?.();
    await turn();
  }
}

function mended(): Control {
  const controlConnection = new Control();
  refreshInTurn({ controlConnection } as unknown as Client);
  return controlConnection;
}

test('refreshes run one at a time, and those asked for meanwhile as one more', async () => {
  const control = mended();
  const all = [control._refresh(), control._refresh(), control._refresh()];
  assert.equal(control.calls.length, 1);
  await control.end();
  assert.equal(control.calls.length, 2);
  await control.end();
  await Promise.all(all);
  assert.deepEqual([control.calls.length, control.atOnceMax], [2, 1]);
  void control._refresh();
  assert.equal(control.calls.length, 3);
  await control.end();
});

test('the part that a refresh calls itself is let through', async () => {
  const control = mended();
  const whole = control._refresh();
  const part = control._refresh('hosts');
  assert.deepEqual(control.calls, [undefined, 'hosts']);
  await control.end();
  await control.end();
  await Promise.all([whole, part]);
  assert.equal(control.calls.length, 2);
});

test('the driver still has what is mended, and still calls it by this name', () => {
  const client = new Client({ contactPoints: ['127.0.0.1:1'], localDataCenter: 'datacenter1' });
  const { controlConnection } = client as unknown as { controlConnection: Control };
  const before = controlConnection._refresh;
  assert.match(String(before), /async _refresh\(hostIterator\)[\s\S]*this\._refresh\(hostIterator\)/);
  refreshInTurn(client);
  assert.notEqual(controlConnection._refresh, before);
});
