/** What may become of a broadcast, and what people may do to it (A4). */
export const broadcastStatuses = [
  'draft',
  'approved',
  'scheduled',
  'stale',
  'running',
  'paused',
  'finished',
  'cancelled',
] as const;

export const broadcastActions = ['approve', 'start', 'confirm', 'pause', 'resume', 'cancel'] as const;

export type BroadcastStatus = (typeof broadcastStatuses)[number];
export type BroadcastAction = (typeof broadcastActions)[number];
