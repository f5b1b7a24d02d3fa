/** `GET /readyz`: 200 when every check passes, else 503 with the checks that do not (M4). */
import { Ready } from '@carillon/contract/health.ts';
import type { Readiness } from '../ops/readiness.ts';
import { defineOperation, type Operation } from './operation.ts';

export function checkReady(readiness: Readiness): Operation {
  return defineOperation({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the process should be given traffic',
    caller: 'anyone',
    answers: { 200: Ready, 503: Ready },
    errors: [],
    handle() {
      const checks = readiness.checks.map((named) => {
        const detail = named.check();
        return { name: named.name, ready: detail === null, detail };
      });
      const ready = checks.every((check) => check.ready);
      const body: Ready = { status: ready ? 'ready' : 'notReady', checks };
      return Promise.resolve({ status: ready ? 200 : 503, body });
    },
  });
}
