/** `GET /v1/admin/suppressions`: email addresses that get no mail, or not all, to look at or to export (V22). */
import { SuppressionQuery, Suppressions } from '@carillon/contract/suppressions.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { suppressionView } from './suppression-view.ts';

const usual = 100;

export function listSuppressions(suppressions: SuppressionStore): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/suppressions',
    summary: 'Email addresses that get no mail, or only what is critical',
    caller: 'operator',
    query: SuppressionQuery,
    answers: { 200: Suppressions },
    errors: [],
    async handle({ principal, query }) {
      const { items, next } = await suppressions.page(principal.tenant, query.cursor ?? null, query.limit ?? usual);
      return { status: 200, body: { items: items.map(suppressionView), nextCursor: next } };
    },
  });
}
