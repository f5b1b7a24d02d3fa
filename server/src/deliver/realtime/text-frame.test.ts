import assert from 'node:assert/strict';
import type { Writable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import * as library from 'ws';
import { pingFrame, textFrame } from './text-frame.ts';

// Exported by the library, though not by its types.
const { Receiver } = library as unknown as { Receiver: new (options: object) => Writable };

/** What an independent reader makes of the bytes. */
function read(bytes: Buffer): { text: string[]; pings: number } {
  const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
  const seen = { text: [] as string[], pings: 0 };
  receiver.on('message', (data: Buffer, isBinary: boolean) => seen.text.push(isBinary ? '(binary)' : String(data)));
  receiver.on('ping', () => seen.pings++);
  receiver.write(bytes);
  return seen;
}

test('each length form is read back byte for byte', () => {
  for (const length of [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]) {
    const text = 'x'.repeat(length);
    const bytes = textFrame(Buffer.from(text));
    assert.equal(bytes.length - length, length < 126 ? 2 : length < 65_536 ? 4 : 10);
    assert.deepEqual(read(bytes).text, [text], `length ${length}`);
  }
});

test('frames written one after the other stay apart', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 400 }), { maxLength: 5 }), (texts) => {
      const frames = texts.map((text) => textFrame(Buffer.from(text)));
      assert.deepEqual(
        read(Buffer.concat(frames)).text,
        texts.map((text) => Buffer.from(text).toString()),
      );
    }),
    { numRuns: 200 },
  );
});

test('a ping is a ping', () => {
  assert.equal(read(Buffer.concat([pingFrame(), pingFrame()])).pings, 2);
});
