/** What a bus promises, whatever carries it. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { eventually } from '../../../../test/flow/eventually.ts';
import type { Bus, BusListener } from './bus.ts';

/** The bus as several processes see it. */
export interface BusWorld {
  /** As a process of its own would have it. The world closes it. */
  open(): Bus;
  /** What carries the messages is gone, with all connections, from when this resolves. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

/** What a subscriber heard, in order: texts, and null for `missed`. */
class Ear implements BusListener {
  readonly heard: (string | null)[] = [];

  message(bytes: Uint8Array): void {
    this.heard.push(Buffer.from(bytes).toString('latin1'));
  }

  missed(): void {
    this.heard.push(null);
  }

  has(text: string): boolean {
    return this.heard.includes(text);
  }
}

const text = (channel: string, content: string) => ({ channel, bytes: Buffer.from(content, 'latin1') });

export function busContract(name: string, createWorld: () => Promise<BusWorld>): void {
  describe(`bus ${name}`, { timeout: 120_000 }, () => {
    let world: BusWorld;
    const buses: Bus[] = [];
    const open = (): Bus => {
      const bus = world.open();
      buses.push(bus);
      return bus;
    };
    const listen = async (bus: Bus, channel: string): Promise<Ear> => {
      const ear = new Ear();
      bus.subscribe(channel, ear);
      await eventually(() => ear.heard.length > 0);
      return ear;
    };
    /** Publishes as soon as that is possible. */
    const publish = (bus: Bus, channel: string, content: string): Promise<void> =>
      eventually(() =>
        bus.publish([text(channel, content)]).then(
          () => true,
          () => false,
        ),
      );
    before(async () => {
      world = await createWorld();
    });
    afterEach(() => {
      for (const bus of buses.splice(0)) bus.close();
    });
    after(() => world.close());

    test('messages come to those who hear the channel, in order, after the first `missed`', async () => {
      const [sender, receiver, other] = [open(), open(), open()];
      const [ear, second, stranger] = [
        await listen(receiver, 'a'),
        await listen(other, 'a'),
        await listen(receiver, 'b'),
      ];
      await publish(sender, 'a', 'first');
      const batch = Array.from({ length: 1000 }, (_, n) => text(n % 2 === 0 ? 'a' : 'b', String(n)));
      await sender.publish(batch);
      await sender.publish([text('a', 'last'), text('b', 'last')]);
      await eventually(() => ear.has('last') && second.has('last') && stranger.has('last'));
      const even = Array.from({ length: 500 }, (_, n) => String(2 * n));
      assert.deepEqual(ear.heard, [null, 'first', ...even, 'last']);
      assert.deepEqual(second.heard, ear.heard);
      assert.deepEqual(stranger.heard, [null, ...even.map((n) => String(Number(n) + 1)), 'last']);
    });

    test('bytes arrive as they are, also none and many', async () => {
      const [sender, receiver] = [open(), open()];
      const ear = await listen(receiver, 'bytes');
      const all = Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('latin1');
      await publish(sender, 'bytes', 'ready');
      await sender.publish([
        text('bytes', all),
        text('bytes', ''),
        text('bytes', all.repeat(4096)),
        text('bytes', 'end'),
      ]);
      await eventually(() => ear.has('end'));
      assert.ok(ear.heard[2] === all && ear.heard[3] === '' && ear.heard[4] === all.repeat(4096));
    });

    test('several in one process may hear one channel; who has stopped hears no more', async () => {
      const [sender, receiver] = [open(), open()];
      const first = new Ear();
      const stop = receiver.subscribe('c', first);
      await eventually(() => first.heard.length === 1);
      const second = await listen(receiver, 'c');
      await publish(sender, 'c', '1');
      await eventually(() => first.has('1') && second.has('1'));
      stop();
      await sender.publish([text('c', '2')]);
      await eventually(() => second.has('2'));
      assert.deepEqual(
        [first.heard, second.heard],
        [
          [null, '1'],
          [null, '1', '2'],
        ],
      );
      const again = await listen(receiver, 'c');
      await sender.publish([text('c', '3')]);
      await eventually(() => again.has('3'));
      assert.deepEqual(again.heard, [null, '3']);
    });

    test('while it is away nothing can be published, and afterwards everybody is told', async () => {
      const [sender, receiver] = [open(), open()];
      const [ear, ear2] = [await listen(receiver, 'd'), await listen(receiver, 'e')];
      await publish(sender, 'd', '1');
      await eventually(() => ear.has('1') && receiver.isConnected());
      await world.takeAway();
      await eventually(() => !receiver.isConnected());
      await assert.rejects(sender.publish([text('d', 'lost')]));
      const late = new Ear();
      receiver.subscribe('f', late);
      await world.bringBack();
      await eventually(() => receiver.isConnected());
      await publish(sender, 'd', '2');
      await publish(sender, 'e', '3');
      await publish(sender, 'f', '4');
      await eventually(() => ear.has('2') && ear2.has('3') && late.has('4'));
      assert.deepEqual(
        [ear.heard, ear2.heard, late.heard],
        [
          [null, '1', null, '2'],
          [null, null, '3'],
          [null, '4'],
        ],
      );
    });

    test('no loss is silent: of what is not heard, the sender or the receiver is told', async () => {
      const [sender, receiver] = [open(), open()];
      const ear = await listen(receiver, 'g');
      const refused = new Set<string>();
      let sent = 0;
      let isOver = false;
      const sending = (async () => {
        while (!isOver || sent % 10 !== 0) {
          const content = String(sent++);
          await sender.publish([text('g', content)]).catch(() => refused.add(content));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      for (let round = 0; round < 3; round++) {
        const before = ear.heard.length;
        await eventually(() => ear.heard.length > before + 20);
        await world.takeAway();
        await world.bringBack();
        await eventually(() => receiver.isConnected());
      }
      isOver = true;
      await sending;
      await publish(sender, 'g', 'end');
      await eventually(() => ear.has('end'));
      assert.ok(ear.heard.filter((heard) => heard === null).length >= 4);
      // Between two that are heard with no `missed` in between, only what was refused may be missing.
      let last = Number.POSITIVE_INFINITY;
      for (const heard of ear.heard) {
        const number = heard === null || heard === 'end' ? Number.NaN : Number(heard);
        for (let missing = last + 1; missing < number; missing++) {
          assert.ok(refused.has(String(missing)), `${missing} was lost in silence`);
        }
        assert.ok(!(number <= last) || last === Number.POSITIVE_INFINITY, `${heard} after ${last}`);
        last = Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
      }
    });
  });
}
