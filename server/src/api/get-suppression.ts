/** `GET /v1/admin/suppressions/{address}`: what is held against an email address (V22). */
import { Suppression, SuppressionParams } from '@carillon/contract/suppressions.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { suppressionView } from './suppression-view.ts';

export function getSuppression(suppressions: SuppressionStore): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/suppressions/:address',
    summary: 'What is held against an email address',
    caller: 'operator',
    params: SuppressionParams,
    answers: { 200: Suppression },
    errors: ['CARILLON_SUPPRESSION_UNKNOWN'],
    async handle({ principal, params }) {
      const [found = null] = await suppressions.find(principal.tenant, [params.address]);
      // Of what was cleared nothing is held any more.
      if (found === null || found.address === '')
        throw new CarillonError('CARILLON_SUPPRESSION_UNKNOWN', 'Nothing is held against this address.');
      return { status: 200, body: suppressionView(found) };
    },
  });
}
