/** What operations have in common that do something to a broadcast and take nothing but its id (A4). */
import type { BroadcastAction } from '@carillon/contract/broadcast-states.ts';
import { BroadcastView } from '@carillon/contract/broadcasts.ts';
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import { Type } from 'typebox';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import type { OperatorPrincipal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { broadcastView } from './broadcast-view.ts';
import { defineOperation, type Operation, type RequestHead } from './operation.ts';

export interface BroadcastActionText {
  readonly action: Exclude<BroadcastAction, 'start'>;
  readonly summary: string;
  readonly errors: readonly ErrorCode[];
}

export const BroadcastPath = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });

export function broadcastAction(
  announcements: AnnouncementService,
  { action, summary, errors }: BroadcastActionText,
): Operation {
  return defineOperation({
    method: 'POST',
    path: `/v1/admin/broadcasts/:id/${action}`,
    summary,
    caller: 'operator',
    params: BroadcastPath,
    answers: { 200: BroadcastView },
    errors: ['CARILLON_BROADCAST_UNKNOWN', 'CARILLON_BROADCAST_STATE', 'CARILLON_STORAGE_FULL', ...errors],
    admit: mayBroadcast,
    async handle({ principal: { tenant, caller: by }, params: { id } }) {
      const after = await announcements.act({ tenant, id, action, by, startAtMs: null });
      return { status: 200, body: broadcastView(after) };
    },
  });
}

/** Viewers and support look only. */
export function mayBroadcast({ principal }: Pick<RequestHead<'operator'>, 'principal'>): void {
  const { role }: Pick<OperatorPrincipal, 'role'> = principal;
  if (role === 'operator' || role === 'admin') return;
  throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'Broadcasts are made by operators and admins.');
}
