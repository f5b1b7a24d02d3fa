/**
 * The zone to reckon with for a person: the stored one; UTC where there is none, or none that is known here. A stored zone
 * was known when it was accepted, maybe to another release: it must never be an error (D7).
 */
export interface KnownZone {
  readonly id: string;
  /** False: another is stored, which is to be counted. */
  readonly isAsStored: boolean;
}

const utc: KnownZone = { id: 'UTC', isAsStored: true };

export function knownZone(stored: string | null): KnownZone {
  if (stored === null) return utc;
  try {
    epoch.toZonedDateTimeISO(stored);
    return { id: stored, isAsStored: true };
  } catch (error) {
    if (error instanceof RangeError) return { id: 'UTC', isAsStored: false };
    throw error;
  }
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);
