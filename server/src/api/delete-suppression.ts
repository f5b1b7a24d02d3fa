/**
 * `DELETE /v1/admin/suppressions/{address}`: the address was shown to be good, so it gets mail again (V22). Feedback of
 * before counts no more. Again, nothing changes.
 */
import { SuppressionParams } from '@carillon/contract/suppressions.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { defineOperation, type Operation } from './operation.ts';

export function deleteSuppression(suppressions: SuppressionStore): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/admin/suppressions/:address',
    summary: 'Send mail to an email address again, since it was shown to be good',
    caller: 'operator',
    params: SuppressionParams,
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params: { address } }) {
      await suppressions.change([{ tenant: principal.tenant, address, change: { kind: 'clear' } }]);
      return { status: 204 };
    },
  });
}
