/** What a live feed promises, whatever brings its frames: what was missed first, then live, without gap or repeat (V30). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import { eventually } from '../../../../test/flow/eventually.ts';
import { type PersonKey, personKey, type Revision } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';
import type { FeedFrame, LiveFeed } from './live-feed.ts';

export interface FeedWorld {
  /** As two gateways see it; the same twice where there is only one. */
  readonly gateways: readonly [LiveFeed, LiveFeed];
  /** Runs before and after an inbox is read for a feed. */
  pause: () => Promise<void>;
  /** One more revision. */
  change(person: PersonKey): Promise<void>;
  mark(person: PersonKey): Promise<void>;
  forget(person: PersonKey, through: Revision): void;
  revision(person: PersonKey): Revision;
  marksVersion(person: PersonKey): Revision;
  /** A moment goes by. */
  passTime(): void;
  close(): Promise<void>;
}

/** One whose hints can be lost. */
export interface LossyFeedWorld extends FeedWorld {
  /** Each is over when it resolves; what happens meanwhile happens in `during`. */
  readonly faults: Readonly<
    Record<string, (during: () => Promise<void>, people: readonly PersonKey[]) => Promise<void>>
  >;
}

/** A client that believes what it is told. */
export class FeedClient {
  readonly frames: FeedFrame[] = [];
  readonly starts: Catchup[] = [];
  /** Rows it was shown, in order. */
  readonly shown: number[] = [];
  position: Revision | null;
  marksVersion: Revision | null = null;
  readonly stop: () => void;

  constructor(feed: LiveFeed, person: PersonKey, since: Revision | null) {
    this.position = since;
    this.stop = feed.open(
      person,
      since,
      (catchup) => this.#started(catchup),
      (frame) => this.#take(frame),
    );
  }

  get hasStarted(): boolean {
    return this.starts.length > 0;
  }

  #started(catchup: Catchup): void {
    assert.deepEqual([this.starts.length, this.frames.length], [0, 0]);
    this.starts.push(catchup);
    for (const frame of catchup.frames) this.#see(frame);
    this.position = catchup.hello.revision;
    this.marksVersion = catchup.hello.counts.marksVersion;
  }

  #take(frame: FeedFrame): void {
    assert.ok(this.hasStarted, 'a frame before the catch-up');
    this.frames.push(frame);
    const seen = JSON.parse(frame.json.toString()) as ServerFrame;
    assert.equal(seen.kind, frame.kind);
    this.#see(seen);
    if (frame.kind === 'marks') assert.equal(frame.revision, this.position, 'marks move no position');
    else if (frame.kind === 'changes') assert.ok(frame.revision > (this.position ?? 0), 'changes go forward');
    this.position = frame.revision;
  }

  #see(frame: ServerFrame | Catchup['frames'][number]): void {
    if (frame.kind === 'changes') this.shown.push(...frame.removed.map((id) => Number(id.slice(2))));
    if (frame.kind === 'changes' || frame.kind === 'marks') this.marksVersion = frame.counts.marksVersion;
  }
}

export function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
}

/** Clients in a world, and what may be waited for. */
function createScene(world: FeedWorld) {
  const clients: FeedClient[] = [];
  const soon = (met: () => boolean): Promise<void> =>
    eventually(() => {
      if (!met()) world.passTime();
      return met();
    });
  return {
    soon,
    open(person: PersonKey, since: Revision | null, gateway: 0 | 1 = 0): FeedClient {
      const client = new FeedClient(world.gateways[gateway], person, since);
      clients.push(client);
      return client;
    },
    async started(client: FeedClient): Promise<FeedClient> {
      await soon(() => client.hasStarted);
      return client;
    },
    isCurrent: (client: FeedClient, person: PersonKey): boolean =>
      client.position === world.revision(person) && client.marksVersion === world.marksVersion(person),
    async change(person: PersonKey, times: number): Promise<void> {
      for (let time = 0; time < times; time++) await world.change(person);
    },
    async close(): Promise<void> {
      for (const client of clients) client.stop();
      await world.close();
    },
  };
}

export function liveFeedContract(name: string, createWorld: () => Promise<FeedWorld>): void {
  describe(`live feed ${name}`, { timeout: 120_000 }, () => {
    let world: FeedWorld;
    let scene: ReturnType<typeof createScene>;
    const [ana, bo] = [personKey('default', 'ana'), personKey('default', 'bo')];
    beforeEach(async () => {
      world = await createWorld();
      scene = createScene(world);
    });
    afterEach(() => scene.close());

    test('BC-40: what was missed, then what came while it was read, then what comes, once each and in order', async () => {
      await scene.change(ana, 3);
      let pauses = 0;
      world.pause = async () => {
        if (++pauses <= 2) await world.change(ana);
      };
      const client = await scene.started(scene.open(ana, 1));
      await scene.change(ana, 2);
      await scene.soon(() => client.position === 7);
      assert.deepEqual(client.shown, numbers(2, 7));
    });

    test('BC-42: what was recovered moves the position; who comes back with it is sent nothing', async () => {
      await scene.change(ana, 2);
      let position: Revision | null = 0;
      for (const expected of [[1, 2], [], []]) {
        const client: FeedClient = await scene.started(scene.open(ana, position));
        assert.deepEqual([client.shown, client.position], [expected, 2]);
        client.stop();
        position = client.position;
      }
    });

    test('a client without a revision gets no history, and then all', async () => {
      await scene.change(ana, 2);
      const client = await scene.started(scene.open(ana, null));
      assert.deepEqual([client.shown, client.starts[0]?.hello.revision], [[], 2]);
      await scene.change(ana, 2);
      await scene.soon(() => client.position === 4);
      assert.deepEqual(client.shown, [3, 4]);
    });

    test('a revision that is too old, or was never given, gets a resync and no part of what is missing', async () => {
      await scene.change(ana, 3);
      world.forget(ana, 2);
      for (const since of [1, 99]) {
        const client = await scene.started(scene.open(ana, since));
        assert.deepEqual([client.starts[0]?.frames.map(({ kind }) => kind), client.shown], [['resync'], []]);
      }
    });

    test('every stream of a person gets every frame, wherever it is; others get none', async () => {
      const theirs = [scene.open(ana, 0), scene.open(ana, 0), scene.open(ana, 0, 1)];
      const other = scene.open(bo, 0, 1);
      for (const client of [...theirs, other]) await scene.started(client);
      await scene.change(ana, 20);
      await scene.change(bo, 1);
      await scene.soon(() => theirs.every(({ position }) => position === 20) && other.position === 1);
      for (const client of theirs) assert.deepEqual(client.shown, numbers(1, 20));
      assert.deepEqual(other.shown, [1]);
    });

    test('BC-35: marks reach every stream of the person, and move no position', async () => {
      await scene.change(ana, 2);
      const theirs = [scene.open(ana, 2), scene.open(ana, 2, 1)];
      const other = scene.open(bo, 0);
      for (const client of [...theirs, other]) await scene.started(client);
      await world.mark(ana);
      await scene.soon(() => theirs.every((client) => scene.isCurrent(client, ana)));
      for (const client of theirs) {
        assert.deepEqual(
          client.frames.map(({ kind, revision }) => [kind, revision]),
          [['marks', 2]],
        );
      }
      await world.change(ana);
      await scene.soon(() => theirs.every((client) => scene.isCurrent(client, ana)));
      assert.deepEqual(
        theirs.map(({ shown }) => shown),
        [[3], [3]],
      );
      assert.equal(other.frames.length, 0);
    });

    test('who has stopped hears nothing, whenever it stops', async () => {
      const never = scene.open(ana, 0);
      never.stop();
      const atStart: FeedFrame[] = [];
      let hasStarted = false;
      const stopAtStart = world.gateways[0].open(
        ana,
        0,
        () => {
          hasStarted = true;
          stopAtStart();
        },
        (frame) => atStart.push(frame),
      );
      const atFrame: FeedFrame[] = [];
      const stopAtFrame = world.gateways[0].open(
        ana,
        0,
        () => {},
        (frame) => {
          atFrame.push(frame);
          stopAtFrame();
        },
      );
      const stays = await scene.started(scene.open(ana, 0));
      await scene.soon(() => hasStarted);
      await scene.change(ana, 3);
      await scene.soon(() => stays.position === 3);
      assert.deepEqual([never.hasStarted, atStart.length, atFrame.length, stays.shown], [false, 0, 1, [1, 2, 3]]);
    });

    test('streams that open and close while much happens have neither gap nor repeat', async () => {
      const changing = (async () => {
        for (let n = 0; n < 200; n++) {
          await world.change(ana);
          if (n % 7 === 0) await world.mark(ana);
        }
      })();
      let position: Revision = 0;
      const seen: number[] = [];
      for (let round = 0; round < 30; round++) {
        const client = await scene.started(scene.open(ana, position, round % 2 === 0 ? 0 : 1));
        for (let turns = 0; turns < round; turns++) await turn();
        client.stop();
        seen.push(...client.shown);
        position = client.position ?? 0;
      }
      await changing;
      const last = await scene.started(scene.open(ana, position));
      await scene.soon(() => last.position === world.revision(ana));
      assert.deepEqual([...seen, ...last.shown], numbers(1, 200));
    });
  });
}

/** Of feeds over something that may lose frames: `liveFeedContract` and this. */
export function lossyFeedContract(name: string, createWorld: () => Promise<LossyFeedWorld>): void {
  test(`live feed ${name}: whatever is lost, every stream ends with the inbox, without gap or repeat`, async (t) => {
    const world = await createWorld();
    const scene = createScene(world);
    t.after(() => scene.close());
    for (const [fault, run] of Object.entries(world.faults)) {
      await t.test(fault, { timeout: 120_000 }, async () => {
        const people = numbers(1, 12).map((n) => personKey('default', `${fault} ${n}`));
        const clients = people.flatMap((person) => [scene.open(person, 0), scene.open(person, null, 1)]);
        const personOf = (index: number): PersonKey => people[Math.floor(index / 2)] as PersonKey;
        const allCurrent = (): boolean => clients.every((client, index) => scene.isCurrent(client, personOf(index)));
        for (const client of clients) await scene.started(client);
        for (const person of people) await world.change(person);
        await scene.soon(allCurrent);
        await run(async () => {
          for (const [n, person] of people.entries()) {
            await scene.change(person, n % 4);
            if (n % 4 === 0 || n % 5 === 0) await world.mark(person);
          }
        }, people);
        await scene.soon(allCurrent);
        for (const person of people) await world.change(person);
        await scene.soon(allCurrent);
        for (const [index, client] of clients.entries()) {
          assert.deepEqual(client.shown, numbers(1, world.revision(personOf(index))));
        }
      });
    }
  });
}
