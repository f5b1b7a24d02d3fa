/** A disk that fills up and is freed again, under a service that keeps running (R2, N3). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limits } from '../../server/src/base/limits.ts';
import { event } from './events.ts';
import { eventually } from './eventually.ts';
import { resultsOf, World, type WorldOptions } from './world.ts';

const diskMiB = 48;

test('a full disk refuses, keeps what was acknowledged, and works again once there is space', (context) =>
  onSmallDisk(context, { where: 'here' }, async (world, ballast) => {
    const r1 = await world.person('r1');
    const sender = new Sender(world);
    assert.equal(await sender.send(20), 202);
    await world.settled();
    for (let round = 0; round < 3; round++) {
      fill(ballast);
      await eventually(async () => (await sender.send(1, bulky)) === 507);
      assert.equal(sender.lastCode, 'CARILLON_STORAGE_FULL');
      const ready = await fetch(`${world.origin}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /disk is full/);
      assert.ok((await r1.inbox()).length >= 20, 'what is stored stays readable');

      rmSync(ballast);
      await eventually(async () => (await sender.send(1)) === 202);
      // Written behind whatever the full disk has cut off.
      for (let n = 0; n < 20; n++) assert.equal(await sender.send(20), 202);
      await world.settled();
      assert.equal((await fetch(`${world.origin}/readyz`)).status, 200);
      await sender.check();
    }
    await world.restart();
    await sender.check();
  }));

test('BC-79: a stop while the store takes no writes ends in time, says that it failed, and loses nothing', (context) =>
  onSmallDisk(context, { where: 'process' }, async (world, ballast) => {
    const sender = new Sender(world);
    assert.equal(await sender.send(20), 202);
    await world.settled();
    fill(ballast);
    await eventually(async () => (await sender.send(1, bulky)) === 507);
    const { code, tookMs } = await world.pause();
    assert.ok(code !== 0 && code !== null, String(code));
    assert.ok(tookMs < limits.stopMs, `${tookMs} ms`);
    rmSync(ballast);
    await world.resume();
    await sender.check();
  }));

/** Makes records large, so that the log is full soon. */
const bulky = { data: { filler: 'z'.repeat(20_000) } };

type Story = (world: World, ballast: string) => Promise<void>;

/** Runs a story on a service whose disk is its own. `ballast`: a path on that disk. */
async function onSmallDisk(context: TestContext, options: WorldOptions, story: Story): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  if (!mount(folder)) {
    rmSync(folder, { recursive: true });
    context.skip('a disk of its own cannot be mounted here: that needs Linux and root');
    return;
  }
  const world = await World.start({ ...options, dataDir: join(folder, 'data') });
  try {
    await story(world, join(folder, 'ballast'));
  } finally {
    await world.close();
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  }
}

class Sender {
  readonly #world: World;
  readonly #acknowledged = new Set<string>();
  #sent = 0;
  lastCode = '';

  constructor(world: World) {
    this.#world = world;
  }

  /** Sends messages in one request. Large rows, so that the store meets the full disk as well. */
  async send(count: number, more: object = {}): Promise<number> {
    const events = Array.from({ length: count }, () => {
      const id = `m${this.#sent++}`;
      const object = { kind: 'message', id, title: 'x'.repeat(480), url: `/${'y'.repeat(2000)}` };
      const parts = { actor: { id: 'a1' }, object, to: { user: 'r1' }, ...more };
      return event('message.sent', parts, { at: this.#sent, id });
    });
    const answer = await this.#world.post(events);
    if (answer.status !== 202) this.lastCode = JSON.parse(answer.text).code;
    else for (const { id, status } of resultsOf(answer)) if (status === 'accepted') this.#acknowledged.add(String(id));
    return answer.status;
  }

  /** Everything acknowledged is in the inbox, once, and nothing else that was not at least sent. */
  async check(): Promise<void> {
    await this.#world.settled();
    const ids = (await (await this.#world.person('r1')).inbox()).map(({ object }) => object.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(new Set(ids), this.#acknowledged);
  }
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
