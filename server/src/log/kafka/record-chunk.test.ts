import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecordView } from '../record.ts';
import { idsOf, sampleBatch } from '../sample-records.ts';
import { RecordChunk } from './record-chunk.ts';

test('every record is taken once and in order, repeats left out, whatever the sizes', () => {
  const record = fc.record({ fillerChars: fc.nat(300), isRepeat: fc.boolean(), gap: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), fc.integer({ min: 1, max: 2000 }), (records, bytesMax) => {
      const batch = sampleBatch(records.map(({ fillerChars }, at) => ({ id: `${at}`, fillerChars })));
      const from = Buffer.from(batch.bytes);
      // Too small, as for a compressed batch: it must grow.
      const chunk = new RecordChunk(16, 0);
      const offsets: number[] = [];
      const view = new RecordView();
      let offset = 100;
      for (let at = 0; at < from.length; ) {
        const end = view.move(from, at);
        offset += (records[offsets.length] as { gap: number }).gap;
        chunk.add(offset, from, at, end);
        offsets.push(offset);
        at = end;
      }
      chunk.end(offset + 1);
      const seen: string[] = [];
      for (;;) {
        const taken = chunk.take(
          bytesMax,
          (_, __, at) => (records[offsets.indexOf(at)] as { isRepeat: boolean }).isRepeat,
        );
        if (taken === null) break;
        const ids = idsOf(taken);
        assert.equal(ids.length, taken.count);
        assert.ok(taken.count === 1 || taken.bytes.length <= bytesMax);
        assert.ok(taken.next > (offsets[Number(ids.at(-1))] as number), 'next lies behind the last record');
        seen.push(...ids);
      }
      const expected = records.flatMap(({ isRepeat }, at) => (isRepeat ? [] : [`${at}`]));
      assert.deepEqual(seen, expected);
      assert.equal(chunk.bytesLeft, 0);
    }),
  );
});
