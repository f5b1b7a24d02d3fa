/** Devices of an embedded engine into those of a cluster, encrypted anew. Copying again changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { PersonKey } from '../base/ids.ts';
import type { Device, StoredDevice } from '../profile/device.ts';
import type { DevicePlace, DeviceStore } from '../profile/device-store.ts';

const devicesAtOnce = 500;

export async function copyDevices(source: DeviceStore, target: DeviceStore): Promise<void> {
  for await (const page of pagesOf(source)) await target.restore(page);
}

/** How many there are, and how many of them the target has as they are. */
export async function compareDevices(
  source: DeviceStore,
  target: DeviceStore,
): Promise<{ expected: number; found: number }> {
  const count = { expected: 0, found: 0 };
  for await (const page of pagesOf(source)) {
    const people = [...new Set(page.map(({ person }) => person))];
    const there = new Map<PersonKey, readonly Device[]>();
    for (const person of people) there.set(person, await target.list(person));
    count.expected += page.length;
    for (const { session: _, ...device } of page) {
      if (there.get(device.person)?.some((each) => isDeepStrictEqual(each, device))) count.found++;
    }
  }
  return count;
}

async function* pagesOf(devices: DeviceStore): AsyncIterable<readonly StoredDevice[]> {
  for (let last: DevicePlace | null = null; ; ) {
    const page: readonly StoredDevice[] = await devices.page(last, devicesAtOnce);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1) ?? null;
  }
}
