/** `POST /v1/dev/token`: a token for anyone, in development mode and from this machine only (S1). */
import { Id } from '@carillon/contract/event.ts';
import { Type } from 'typebox';
import type { DevTokens } from '../auth/dev-tokens.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { defineOperation, type Operation, type RequestHead } from './operation.ts';

const closed = { additionalProperties: false } as const;
const Role = Type.Union([
  Type.Literal('viewer'),
  Type.Literal('support'),
  Type.Literal('operator'),
  Type.Literal('admin'),
]);

const DevTokenRequest = Type.Union([
  Type.Object({ user: Id }, closed),
  Type.Object({ source: Id }, closed),
  Type.Object({ role: Role }, closed),
]);

export function devToken(tokens: DevTokens): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/dev/token',
    summary: 'Get a token for a user, a source or a role (development mode only)',
    caller: 'anyone',
    body: DevTokenRequest,
    answers: { 200: Type.Object({ token: Type.String(), expiresAt: Type.String({ format: 'date-time' }) }) },
    errors: ['CARILLON_AUTH_FORBIDDEN'],
    admit: checkLocal,
    async handle({ body }) {
      return { status: 200, body: await tokens.issue(body) };
    },
  });
}

/** The connection, the name used and the absence of a proxy must all say so: a page elsewhere may point its name at us. */
function checkLocal({ remoteAddress, headers }: RequestHead): void {
  const fromHere = /^(::ffff:)?127\.|^::1$/.test(remoteAddress);
  const toHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(headers.host ?? '');
  if (fromHere && toHere && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
  throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'Only this machine itself may ask for development tokens.');
}
