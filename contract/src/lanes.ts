/**
 * Lanes: the three priorities of work (D8). Under pressure `bulk` waits first, then `social`; nothing is dropped.
 * The order of this list is the order of priority, and a lane's index is its number in stored records.
 */
export const lanes = ['direct', 'social', 'bulk'] as const;

export type Lane = (typeof lanes)[number];
