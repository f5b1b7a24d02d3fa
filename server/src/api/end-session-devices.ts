/**
 * Devices go with the session they were registered in, also when another process ended it (V11) [BC-70]: whoever
 * registered one there meanwhile did not know yet. Answers how to stop.
 */
import type { Revocations } from '../auth/revocations.ts';
import type { DeviceStore } from '../profile/device-store.ts';

export function endSessionDevices(
  revocations: Revocations,
  devices: DeviceStore,
  failed: (error: unknown) => void,
): () => void {
  return revocations.onRevoked((session) => {
    devices.removeSession(session).catch(failed);
  });
}
