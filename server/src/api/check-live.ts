/** `GET /livez`: the process answers at all (M4). Checks nothing else: a restart mends no database. */
import { Live } from '@carillon/contract/health.ts';
import { defineOperation, type Operation } from './operation.ts';

export function checkLive(): Operation {
  return defineOperation({
    method: 'GET',
    path: '/livez',
    summary: 'Whether the process is alive',
    caller: 'anyone',
    whileDraining: true,
    answers: { 200: Live },
    errors: [],
    handle: () => Promise.resolve({ status: 200, body: { status: 'live' } satisfies Live }),
  });
}
