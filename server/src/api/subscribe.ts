/** `PUT /v1/subscriptions/{audience}/{user}`: makes somebody a member of an audience; repeating it changes nothing (F2). */

import { Id } from '@carillon/contract/event.ts';
import { AudienceName, Subscription, SubscriptionWish } from '@carillon/contract/subscriptions.ts';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { AudienceService } from '../audience/audience-service.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { audienceKey } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import { defineOperation, type Operation } from './operation.ts';

const wishes = lazy(() => Compile(SubscriptionWish));

export function subscribe(audiences: AudienceService): Operation {
  return defineOperation({
    method: 'PUT',
    path: '/v1/subscriptions/:audience/:user',
    summary: 'Make somebody a member of an audience',
    caller: 'producer',
    params: Type.Object({ audience: AudienceName, user: Id }),
    rawBody: {
      contentTypes: [],
      bytesMax: limits.apiBodyBytesMax,
      schemas: { 'application/json': SubscriptionWish },
    },
    answers: { 200: Subscription },
    errors: ['CARILLON_STORAGE_FULL'],
    async handle({ principal, params, body }) {
      const { audience, user } = params;
      const { notify = null } = readWish(body as Buffer);
      const key = audienceKey(principal.tenant, audience);
      const membership = await audiences.set({ audience: key, user, present: true, notify });
      return { status: 200, body: { audience, user, notify: membership.notify } };
    },
  });
}

/** The body may be left out. */
function readWish(body: Buffer): { notify?: boolean } {
  if (body.length === 0) return {};
  const value = readJson(body, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
  if (wishes().Check(value)) return value;
  const fields = fieldErrors(wishes(), value);
  throw new CarillonError('CARILLON_REQUEST_INVALID', 'The request does not fit its schema.', { fields });
}
