/** Counts texts that had to be replaced by generic ones (C6). */
import { type Channel, channels } from '@carillon/contract/reasons.ts';
import { series, telemetry } from '../base/telemetry.ts';

export type FallbackCause = 'noWords' | 'failed';

const places = new Map(
  channels.flatMap((channel) =>
    (['noWords', 'failed'] as const).map((cause) => [
      `${channel} ${cause}`,
      series('carillon_render_fallbacks_total', { channel, cause }),
    ]),
  ),
);

export function countFallback(channel: Channel, cause: FallbackCause): void {
  telemetry.add(places.get(`${channel} ${cause}`) as number);
}
