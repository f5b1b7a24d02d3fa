/** `PUT /v1/admin/suppressions/{address}`: no mail goes to an email address any more; again, nothing changes (V22). */
import { Suppression, SuppressionParams } from '@carillon/contract/suppressions.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { isAddress } from '../base/mailbox.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { suppressionView } from './suppression-view.ts';

export function putSuppression(suppressions: SuppressionStore, clock: Clock): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/v1/admin/suppressions/:address',
    summary: 'Send no mail to an email address any more',
    caller: 'operator',
    params: SuppressionParams,
    answers: { 200: Suppression },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params: { address } }) {
      if (!isAddress(address.trim())) {
        const fields = [{ path: 'params/address', detail: 'Is no email address.' }];
        throw new CarillonError('CARILLON_REQUEST_INVALID', 'The request does not fit its schema.', { fields });
      }
      const change = { kind: 'manual', atMs: clock.now(), by: 'api', code: null } as const;
      const [outcome] = await suppressions.change([{ tenant: principal.tenant, address, change }]);
      const held = outcome?.suppression ?? null;
      if (held === null) throw new Error('a suppression was stored and is not there');
      return { status: 200, body: suppressionView(held) };
    },
  });
}
