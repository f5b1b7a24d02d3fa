/** Profiles of an embedded engine into those of a cluster, with their versions. Copying again changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { PersonKey } from '../base/ids.ts';
import type { PersonProfile } from '../profile/profile.ts';
import type { ProfileStore } from '../profile/profile-store.ts';

const profilesAtOnce = 500;

export async function copyProfiles(source: ProfileStore, target: ProfileStore): Promise<void> {
  for await (const page of pagesOf(source)) {
    await target.change(page.map(({ person, profile }) => ({ person, change: { kind: 'restore', profile } })));
  }
}

/** How many there are, and how many of them the target has as they are. */
export async function compareProfiles(
  source: ProfileStore,
  target: ProfileStore,
): Promise<{ expected: number; found: number }> {
  const count = { expected: 0, found: 0 };
  for await (const page of pagesOf(source)) {
    const there = await target.read(page.map(({ person }) => person));
    count.expected += page.length;
    count.found += page.filter(({ profile }, at) => isDeepStrictEqual(profile, there[at])).length;
  }
  return count;
}

async function* pagesOf(profiles: ProfileStore): AsyncIterable<readonly PersonProfile[]> {
  for (let last: PersonKey | null = null; ; ) {
    const page: readonly PersonProfile[] = await profiles.page(last, profilesAtOnce);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1)?.person ?? null;
  }
}
