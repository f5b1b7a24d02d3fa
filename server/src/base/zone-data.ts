/**
 * The rules of time zones that this process reckons with. They come with Node, and change a few times a year: what was
 * planned with others is planned anew (`shard/zone-revision.ts`).
 */

/** As the IANA database names its versions: `2026e`. */
export const zoneData: string = process.versions.tz ?? 'none';

/** With older rules, quiet hours and digests of some zones are an hour off by now. */
export const leastZoneData = '2026a';

export function isZoneDataOld(version: string = zoneData): boolean {
  return !/^\d{4}[a-z]+$/.test(version) || version < leastZoneData;
}
