/** `GET /v1/push/vapid-key`: the public key that browsers subscribe with; null where they are not pushed to (V10). */
import { VapidKey } from '@carillon/contract/devices.ts';
import { defineOperation, type Operation } from './operation.ts';

export function getVapidKey(vapidKey: string | null): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/push/vapid-key',
    summary: 'The public key that browsers subscribe with',
    caller: 'anyone',
    answers: { 200: VapidKey },
    errors: [],
    async handle() {
      return { status: 200, body: { key: vapidKey } };
    },
  });
}
