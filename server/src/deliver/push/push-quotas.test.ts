import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../../base/ids.ts';
import { restedBucket, takeToken } from '../token-bucket.ts';
import { pushQuotas } from './push-quotas.ts';

const device = { person: personKey('default', 'r1'), id: 'd1' };
const rules = { payloadBytesMax: 1, sendsMax: 1 };

test('V6: nobody gets more in any minute than the provider allows, and a device takes a few at once', () => {
  const [project, one] = pushQuotas(
    { name: 'fcm', limits: { ...rules, perMinute: 600_000, perDevicePerMinute: 240 } },
    'app',
    device,
  );
  assert.ok(project !== undefined && one !== undefined);
  assert.equal(project.rate.burst + project.rate.perMs * 60_000, 600_000);
  assert.equal(one.rate.burst + one.rate.perMs * 60_000, 240);
  assert.ok(one.rate.burst >= 20);
  let bucket = restedBucket(one.rate, 0);
  let sent = 0;
  for (let nowMs = 0; nowMs < 60_000; ) {
    const answer = takeToken(bucket, one.rate, nowMs);
    if ('waitMs' in answer) nowMs += answer.waitMs;
    else {
      bucket = answer.go;
      sent++;
    }
  }
  assert.ok(sent > 230 && sent <= 240, `${sent} in a minute`);
});

test('projects of one provider, and devices, each have their own; who says nothing limits nothing', () => {
  const namesOf = (project: string, id: string): string[] =>
    pushQuotas({ name: 'fcm', limits: { ...rules, perMinute: 60, perDevicePerMinute: 6 } }, project, {
      ...device,
      id,
    }).map(({ name }) => name);
  assert.equal(new Set([...namesOf('a', 'd1'), ...namesOf('b', 'd2')]).size, 4);
  const none = { ...rules, perMinute: null, perDevicePerMinute: null };
  assert.deepEqual(pushQuotas({ name: 'apns', limits: none }, 'a', device), []);
});
