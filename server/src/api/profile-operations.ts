/** What people and apps say of people (A2, A3): one line per operation. */
import { deleteMute } from './delete-mute.ts';
import { deletePerson, type ErasureParts } from './delete-person.ts';
import { type ExportParts, exportPerson } from './export-person.ts';
import { findPerson } from './find-person.ts';
import { getPreferences } from './get-preferences.ts';
import { importPeople } from './import-people.ts';
import { listMutes } from './list-mutes.ts';
import type { Operation } from './operation.ts';
import { patchPreferences } from './patch-preferences.ts';
import { putMute } from './put-mute.ts';
import { putPerson } from './put-person.ts';
import { putPreferences } from './put-preferences.ts';
import type { PreferenceParts } from './write-preferences.ts';

export function profileOperations(parts: PreferenceParts & ExportParts & ErasureParts): Operation[] {
  const { profiles, types, clock } = parts;
  return [
    getPreferences(profiles, types),
    putPreferences(parts),
    patchPreferences(parts),
    listMutes(profiles, clock),
    putMute(profiles, clock),
    deleteMute(profiles),
    importPeople(profiles),
    putPerson(profiles),
    deletePerson(parts),
    exportPerson(parts),
    findPerson(profiles),
  ];
}
