/** The limits of the stream, as numbers that tests can make small. Their meaning is in base/limits.ts. */
import type { limits } from '../../base/limits.ts';

export type StreamLimits = {
  readonly [Name in keyof typeof limits as Name extends
    | 'heartbeatMs'
    | 'authFrameMs'
    | 'connectionBufferBytesMax'
    | 'clientFrameBytesMax'
    | 'connectionsPerPersonMax'
    | 'unprovenConnectionsMax'
    | 'pollWaitMsMax'
    | 'sweepMs'
    | 'closeGraceMs'
    | 'reconnectAfterMs'
    | 'reconnectSpreadMs'
    ? Name
    : never]: number;
};
