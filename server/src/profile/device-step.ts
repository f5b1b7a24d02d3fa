/** What a change of devices writes, as pure functions: every store does it as one step. */
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { DeviceRegistration } from './device.ts';
import { type DeviceRow, type DeviceRows, deviceId } from './device-row.ts';
import type { PersonChange } from './profile-change.ts';

export interface DeviceStep {
  readonly puts: readonly DeviceRow[];
  readonly removes: readonly DeviceRow[];
  /** How many devices people have now. */
  readonly changes: readonly PersonChange[];
}

export interface RegisterFacts {
  /** What the person has. */
  readonly own: readonly DeviceRow[];
  /** What another person has of the same address. */
  readonly others: readonly DeviceRow[];
}

export function newRow(rows: DeviceRows, registration: DeviceRegistration, nowMs: number): DeviceRow {
  const { person, provider, address } = registration;
  const id = deviceId(person, rows.indexOf(provider, address));
  return rows.toRow({ ...registration, id, registeredAtMs: nowMs, seenAtMs: nowMs });
}

export function registerStep(row: DeviceRow, { own, others }: RegisterFacts): DeviceStep {
  const kept = own.filter(({ id }) => id !== row.id);
  const idle = kept
    .toSorted((a, b) => a.seenAtMs - b.seenAtMs)
    .slice(0, Math.max(0, kept.length + 1 - limits.devicesMax));
  const isNew = kept.length === own.length;
  const { removes, changes } = removeStep([...idle, ...others]);
  const came = isNew ? [devicesChange(row.person, 1)] : [];
  return { puts: [row], removes, changes: [...came, ...changes] };
}

export function removeStep(removes: readonly DeviceRow[]): DeviceStep {
  const counts = new Map<PersonKey, number>();
  for (const { person } of removes) counts.set(person, (counts.get(person) ?? 0) + 1);
  return { puts: [], removes, changes: [...counts].map(([person, count]) => devicesChange(person, -count)) };
}

/** The profile goes, and its number with it. */
export function eraseStep(person: PersonKey, own: readonly DeviceRow[]): DeviceStep {
  return { puts: [], removes: own, changes: [{ person, change: { kind: 'erase' } }] };
}

/** Whether proof that nobody was there at this time counts for it: it is later than its registration (BC-46). */
export function isDead({ registeredAtMs }: DeviceRow, asOfMs: number): boolean {
  return registeredAtMs < asOfMs;
}

export function bySeen(a: DeviceRow, b: DeviceRow): number {
  return b.seenAtMs - a.seenAtMs || (a.id < b.id ? -1 : 1);
}

function devicesChange(person: PersonKey, by: number): PersonChange {
  return { person, change: { kind: 'devices', by } };
}
