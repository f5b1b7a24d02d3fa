/**
 * What clocks show in a zone, for tests: by Intl, not by Temporal, which the code uses. Offsets are read every quarter of
 * an hour, on which all changes since 2024 lie.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const quarterMs = 15 * 60_000;

export interface WallClock {
  /** 0: Monday. */
  readonly weekday: number;
  readonly minuteOfDay: number;
  /** Days since 1970 of the date that it shows. */
  readonly localDay: number;
}

export const allZones: readonly string[] = Intl.supportedValuesOf('timeZone');

const minuteMs = 60_000;

/** Reads clocks of one zone at many times. */
export function wallClocks(zone: string): (atMs: number) => WallClock {
  const offsets = new Map<number, number>();
  return (atMs) => {
    const quarter = Math.floor(atMs / quarterMs);
    let offsetMs = offsets.get(quarter);
    if (offsetMs === undefined) {
      offsetMs = offsetAt(zone, quarter * quarterMs);
      offsets.set(quarter, offsetMs);
    }
    const localMinute = Math.floor((atMs + offsetMs) / minuteMs);
    const localDay = Math.floor(localMinute / 1440);
    // 1970 began on a Thursday.
    return { weekday: (localDay + 3) % 7, minuteOfDay: localMinute - localDay * 1440, localDay };
  };
}

function offsetAt(zone: string, atMs: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute } = parts as Record<string, number>;
  return Date.UTC(year as number, (month as number) - 1, day, hour, minute) - atMs;
}

/** The next change of the zone's offset, to choose times near one. */
export function changeNear(zone: string, atMs: number): number | null {
  const zoned = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  return zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? null;
}
