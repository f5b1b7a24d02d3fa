/**
 * `POST /v1/subscriptions`: many changes of memberships as NDJSON, durable before it answers, with a result for each line
 * in order (F2). A bad line never fails its neighbours; sending the whole again changes nothing.
 */
import { SubscriptionLine, type SubscriptionResult, SubscriptionResults } from '@carillon/contract/subscriptions.ts';
import { Compile } from 'typebox/compile';
import type { AudienceService } from '../audience/audience-service.ts';
import type { MembershipChange } from '../audience/membership.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { audienceKey } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { parseTime } from '../base/parse-time.ts';
import { readJson } from '../base/read-json.ts';
import { defineOperation, type Operation } from './operation.ts';

const lines = lazy(() => Compile(SubscriptionLine));

export function importSubscriptions(audiences: AudienceService, clock: Clock): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/subscriptions',
    summary: 'Change many memberships of audiences, one a line',
    caller: 'producer',
    rawBody: {
      contentTypes: ['application/x-ndjson'],
      bytesMax: limits.batchBytesMax,
      schemas: { 'application/x-ndjson': SubscriptionLine },
    },
    answers: { 200: SubscriptionResults },
    errors: ['CARILLON_REQUEST_INVALID', 'CARILLON_STORAGE_FULL'],
    idempotent: true,
    async handle({ principal, body }) {
      const changes: MembershipChange[] = [];
      const results: SubscriptionResult[] = [];
      for (const line of linesOf(body as Buffer)) {
        try {
          changes.push(toChange(readLine(line), principal.tenant, clock.now()));
          results.push({ status: 'ok' });
        } catch (error) {
          if (!(error instanceof CarillonError)) throw error;
          results.push(rejected(error));
        }
      }
      await audiences.apply(changes);
      return { status: 200, body: { taken: changes.length, rejected: results.length - changes.length, results } };
    },
  });
}

/** Lines with something in them. Throws CARILLON_REQUEST_TOO_LARGE where there are too many. */
function linesOf(body: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(0x0a, start);
    const end = newline < 0 ? body.length : newline;
    const line = body.subarray(start, end);
    if (line.some((byte) => byte > 0x20)) found.push(line);
    if (found.length > limits.subscriptionLinesMax) {
      const detail = `A request may hold ${limits.subscriptionLinesMax} lines at most.`;
      throw new CarillonError('CARILLON_REQUEST_TOO_LARGE', detail);
    }
    start = end + 1;
  }
  return found;
}

function readLine(line: Buffer): SubscriptionLine {
  const value = readJson(line, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
  if (lines().Check(value)) return value;
  const fields = fieldErrors(lines(), value);
  throw new CarillonError('CARILLON_REQUEST_INVALID', 'The line does not fit its schema.', { fields });
}

function toChange(line: SubscriptionLine, tenant: string, nowMs: number): MembershipChange {
  const { audience, user, subscribed = true, notify = null, time } = line;
  return {
    audience: audienceKey(tenant, audience),
    user,
    present: subscribed,
    notify,
    seq: null,
    timeMs: time === undefined ? nowMs : Math.min(nowMs, parseTime(time)),
    takenMs: nowMs,
  };
}

function rejected({ code, message, fields }: CarillonError): SubscriptionResult {
  const [field] = fields;
  return { status: 'rejected', error: { code, path: field?.path ?? '', detail: field?.detail ?? message } };
}
