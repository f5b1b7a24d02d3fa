/** A disk that fills up and is freed again, under a service that keeps running (R2, N3). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { event } from './events.ts';
import { eventually } from './eventually.ts';
import { resultsOf, World } from './world.ts';

const diskMiB = 48;

test('a full disk refuses, keeps what was acknowledged, and works again once there is space', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  if (!mount(folder)) {
    rmSync(folder, { recursive: true });
    context.skip('a disk of its own cannot be mounted here: that needs Linux and root');
    return;
  }
  const world = await World.start({ dataDir: join(folder, 'data') });
  try {
    await fillAndFree(world, join(folder, 'ballast'));
  } finally {
    await world.close();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  }
});

async function fillAndFree(world: World, ballast: string): Promise<void> {
  const r1 = await world.person('r1');
  const acknowledged: string[] = [];
  /** Makes records large, so that the log is full soon. */
  const data = { filler: 'z'.repeat(20_000) };
  let sent = 0;
  /** Sends messages in one request. Large rows, so that the store meets the full disk as well. */
  const send = async (count: number, more: object = {}): Promise<number> => {
    const events = Array.from({ length: count }, () => {
      const id = `m${sent++}`;
      const object = { kind: 'message', id, title: 'x'.repeat(480), url: `/${'y'.repeat(2000)}` };
      return event('message.sent', { actor: { id: 'a1' }, object, to: { user: 'r1' }, ...more }, { at: sent, id });
    });
    const answer = await world.post(events);
    if (answer.status === 202)
      for (const { id, status } of resultsOf(answer)) if (status === 'accepted') acknowledged.push(String(id));
    return answer.status;
  };
  assert.equal(await send(20), 202);
  await world.settled();

  for (let round = 0; round < 3; round++) {
    fill(ballast);
    await eventually(async () => (await send(1, { data })) === 507);
    const refused = await world.post(
      event('message.sent', { actor: { id: 'a1' }, object: { kind: 'message', id: 'no' }, to: { user: 'r1' } }),
    );
    assert.equal(JSON.parse(refused.text).code, 'CARILLON_STORAGE_FULL');
    const ready = await fetch(`${world.origin}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /disk is full/);
    assert.ok((await r1.inbox()).length >= 20, 'what is stored stays readable');

    rmSync(ballast);
    await eventually(async () => (await send(1)) === 202);
    // Written behind whatever the full disk has cut off.
    for (let n = 0; n < 20; n++) assert.equal(await send(20), 202);
    await world.settled();
    assert.equal((await fetch(`${world.origin}/readyz`)).status, 200);
    assert.deepEqual(new Set((await r1.inbox()).map(({ object }) => object.id)), new Set(acknowledged));
  }
  await world.restart();
  await world.settled();
  assert.deepEqual(new Set((await r1.inbox()).map(({ object }) => object.id)), new Set(acknowledged));
}

function mount(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Takes all the space there is. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const bytes = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}
