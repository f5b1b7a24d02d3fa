/**
 * `DELETE /v1/users/{id}`: forgets a person (A3, S7) [BC-71]: facts, preferences, mutes, devices, audiences, and the inbox
 * with all that waits to be told of it. Every answer is the same, whether there was anything or not; after a failure it is
 * asked again. Events of theirs that come later are those of somebody new.
 */
import { PersonParams } from '@carillon/contract/person-facts.ts';
import type { AudienceService } from '../audience/audience-service.ts';
import { personKey } from '../base/ids.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { defineOperation, type Operation } from './operation.ts';

export interface ErasureParts {
  readonly devices: DeviceStore;
  readonly inbox: InboxService;
  /** Absent: none are kept here. */
  readonly audiences?: Pick<AudienceService, 'leaveAll'> | null;
}

export function deletePerson({ devices, audiences, inbox }: ErasureParts): Operation {
  return defineOperation({
    method: 'DELETE',
    path: '/v1/users/:id',
    summary: 'Forget a person: what is known of them, their devices and audiences, and their inbox',
    caller: 'producer',
    idempotent: true,
    params: PersonParams,
    answers: { 204: null },
    errors: ['CARILLON_STORAGE_FULL', 'CARILLON_STORE_UNAVAILABLE'],
    async handle({ principal, params }) {
      const person = personKey(principal.tenant, params.id);
      // First what says where they are reached: then nothing is sent any more.
      await devices.erase(person);
      await audiences?.leaveAll(person);
      await inbox.erase(person);
      return { status: 204 };
    },
  });
}
