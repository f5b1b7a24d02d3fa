/**
 * `GET /v1/users/{id}/export`: everything that is kept of a person and can be read, for the person to have (A3, S7). An
 * answer of the same form for whom nothing is known.
 */
import { Readable } from 'node:stream';
import { requestMaxima } from '@carillon/contract/inbox-requests.ts';
import { PersonExport, PersonParams } from '@carillon/contract/person-facts.ts';
import type { Clock } from '../base/clock.ts';
import { type PersonKey, personKey } from '../base/ids.ts';
import { isoTime } from '../base/iso-time.ts';
import type { InboxService, StateFilter } from '../inbox/inbox-service.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import type { Profile } from '../profile/profile.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { toPersonFacts } from '../profile/read-facts.ts';
import { deviceJson } from './device-json.ts';
import { muteJson } from './mute-json.ts';
import { defineOperation, type Operation } from './operation.ts';

export interface ExportParts {
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  readonly inbox: InboxService;
  readonly clock: Clock;
}

/** Together they are every row. */
const views: readonly (StateFilter | null)[] = [null, 'archived', 'filtered'];

export function exportPerson({ profiles, devices, inbox, clock }: ExportParts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/users/:id/export',
    summary: 'Everything that is kept of a person: facts, preferences, mutes, devices, notifications',
    caller: 'producer',
    params: PersonParams,
    answers: { 200: PersonExport },
    errors: [],
    async handle({ principal, params }) {
      const person = personKey(principal.tenant, params.id);
      const [profile = null] = await profiles.read([person]);
      const pushedOn = (await devices.list(person)).map(deviceJson);
      const said = { ...ofProfile(profile), devices: pushedOn };
      const head = { id: params.id, exportedAt: isoTime(clock.now()), ...said };
      const rows = notifications(inbox, person);
      // Once this is there, what fails can only cut the answer off.
      const first = await rows.next();
      const start = `${JSON.stringify(head).slice(0, -1)},"notifications":[${first.done ? '' : first.value}`;
      return { status: 200, body: Readable.from(parts(start, rows), { objectMode: false }) };
    },
  });
}

function ofProfile(profile: Profile | null): Pick<PersonExport, 'facts' | 'preferences' | 'mutes'> {
  if (profile === null) return { facts: null, preferences: null, mutes: [] };
  const { facts, version, choices, mutes } = profile;
  return {
    facts: facts === null ? null : toPersonFacts(facts),
    preferences: version === 0 ? null : { version, ...choices },
    mutes: mutes.map(muteJson),
  };
}

async function* parts(start: string, rows: AsyncIterable<string>): AsyncIterable<string> {
  yield start;
  for await (const row of rows) yield `,${row}`;
  yield ']}';
}

/** Each row as JSON. */
async function* notifications(inbox: InboxService, person: PersonKey): AsyncGenerator<string> {
  for (const state of views) {
    for (let cursor: string | null = null; ; ) {
      const query = { limit: requestMaxima.pageRows, cursor, type: null, category: null, state };
      const { items, nextCursor } = await inbox.page(person, query);
      for (const item of items) yield JSON.stringify(item);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
  }
}
