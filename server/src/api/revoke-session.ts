/**
 * `DELETE /v1/sessions/{session}`: the app tells that a session is over, on logout for one (V33) [BC-70]. From now on its
 * tokens count no more, its streams close within 2 s, and devices registered in it are not pushed to any more. A session that is not known may still have tokens, so that
 * every answer is the same.
 */
import { Type } from 'typebox';
import type { Revocations } from '../auth/revocations.ts';
import { sessionKey } from '../auth/session-key.ts';
import { limits } from '../base/limits.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { defineOperation, type Operation } from './operation.ts';

/** The claim `sid` of its tokens, or `jti` where they have none. */
const SessionId = Type.String({ minLength: 1, maxLength: limits.idCharsMax, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

export function revokeSession(revocations: Revocations, devices: DeviceStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/sessions/:session',
    summary: 'End a session: its tokens count no more, its streams are closed, its devices removed',
    caller: 'producer',
    params: Type.Object({ session: SessionId }),
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params }) {
      const { tenant } = principal;
      const { session } = params;
      await revocations.revoke(tenant, session);
      await devices.removeSession(sessionKey({ tenant, session }) as string);
      return { status: 204 };
    },
  });
}
