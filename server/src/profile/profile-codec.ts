/**
 * A profile as it lies on disk: the number of the format, then JSON. A release reads every format before its own. Of the
 * facts the email address is encrypted (S4), for its person alone.
 */
import type { MuteKind } from '@carillon/contract/mutes.ts';
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { type PersonKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { normalAddress } from '../base/mailbox.ts';
import type { SecretBox, SecretPlace } from '../base/secret-box.ts';
import type { Facts, Mute, Profile } from './profile.ts';

export type MuteRow = [kind: MuteKind, id: string, sinceMs: number, untilMs: number | null];

/** Those of format 1, and rows of PostgreSQL that are as old, have the address itself. */
export interface FactsRow extends Facts {
  readonly sealedEmail?: string;
}

interface Stored {
  readonly revision: number;
  readonly version: number;
  readonly choices: PreferenceChoices;
  readonly facts: FactsRow | null;
  readonly mutes: readonly MuteRow[];
  /** Not in format 1. */
  readonly devices?: number;
}

const format = '2';

export class ProfileCodec {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  encode(person: PersonKey, { facts, mutes, ...profile }: Profile): string {
    const stored: Stored = { ...profile, facts: this.encodeFacts(person, facts), mutes: encodeMutes(mutes) };
    return format + JSON.stringify(stored);
  }

  /** Throws for a format of a later release. */
  decode(person: PersonKey, text: string): Profile {
    if (text[0] !== format && text[0] !== '1')
      throw new Error(`a profile is stored in format ${text[0]}, which this release cannot read`);
    const { facts, mutes, devices = 0, ...profile } = JSON.parse(text.slice(1)) as Stored;
    return { ...profile, facts: this.decodeFacts(person, facts), mutes: decodeMutes(mutes), devices };
  }

  encodeFacts(person: PersonKey, facts: Facts | null): FactsRow | null {
    if (facts === null || facts.email === null) return facts;
    return { ...facts, email: null, sealedEmail: this.#box.seal(facts.email, placeOf(person)) };
  }

  /** The profile if its address is not by the current key, or not encrypted yet. */
  reseal(person: PersonKey, text: string): Profile | null {
    const profile = this.decode(person, text);
    return this.isOutdated((JSON.parse(text.slice(1)) as Stored).facts) ? profile : null;
  }

  isOutdated(row: FactsRow | null): boolean {
    if (row === null) return false;
    return row.sealedEmail === undefined ? row.email !== null : !this.#box.isCurrent(row.sealedEmail);
  }

  /** Those with the same address, in whatever case, have the same. */
  emailIndex(tenant: TenantId, email: string): string {
    return this.#box.indexOf('emailAddress', [tenant, normalAddress(email)]);
  }

  indexOf(person: PersonKey, profile: Profile | null): string | null {
    const email = profile?.facts?.email ?? null;
    return email === null ? null : this.emailIndex(splitPersonKey(person).tenant, email);
  }

  decodeFacts(person: PersonKey, row: FactsRow | null): Facts | null {
    if (row?.sealedEmail === undefined) return row;
    const { sealedEmail, ...facts } = row;
    return { ...facts, email: this.#box.open(sealedEmail, placeOf(person)) };
  }
}

function placeOf(person: PersonKey): SecretPlace {
  return { purpose: 'emailAddress', owner: person };
}

export function encodeMutes(mutes: readonly Mute[]): MuteRow[] {
  return mutes.map(({ kind, id, sinceMs, untilMs }) => [kind, id, sinceMs, untilMs]);
}

export function decodeMutes(rows: readonly MuteRow[]): Mute[] {
  return rows.map(([kind, id, sinceMs, untilMs]) => ({ kind, id, sinceMs, untilMs }));
}
