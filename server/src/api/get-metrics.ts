/** `GET /metrics`: the Prometheus text exposition (M1). */
import { Type } from 'typebox';
import { defineOperation, type Operation } from './operation.ts';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** `render` answers the whole text. */
export function getMetrics(render: () => string | Promise<string>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    caller: 'anyone',
    whileDraining: true,
    answers: { 200: Type.String() },
    answerType: 'text/plain',
    errors: [],
    async handle() {
      return { status: 200, headers: { 'content-type': contentType }, body: await render() };
    },
  });
}
