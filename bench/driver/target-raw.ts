/** The probes' side: the same bodies as Carillon's to a server that drains them, and sockets that count bare frames. */

import type { Target } from './target.ts';
import { carillonTarget } from './target-carillon.ts';

export const rawTarget: Target = {
  ...carillonTarget,
  postHeaders: async () => ({}),
  openings: async (_port, sets) => sets.map(() => ({ path: '/', headers: {}, first: null })),
  message: (payload, tally) => {
    tally.frames++;
    tally.frameBytes += payload.length;
  },
  isReady: () => true,
  isAccepted: (status) => status === 202,
};
