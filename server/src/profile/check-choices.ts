/**
 * Whether a preferences document may be stored, and the form in which it is (D2, D7): names in their canonical form,
 * without what says nothing. Each fault has its path.
 *
 * Names of types and categories, zones and languages that are stored already are left alone, though they be unknown now:
 * a type may have left the catalogue, and a change of something else must not fail for it.
 */
import { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { Compile } from 'typebox/compile';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';
import { escapePointer, fieldErrors } from '../base/field-errors.ts';
import { isoTime } from '../base/iso-time.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { parseTime } from '../base/parse-time.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import { canonicalLocale } from './canonical-locale.ts';
import { canonicalTimeZone } from './canonical-time-zone.ts';
import { quietHoursProblems } from './quiet-hours-problems.ts';

export interface ChoicesContext {
  /** What is stored so far. */
  readonly previous: PreferenceChoices;
  readonly types: TypeCatalogue;
  readonly nowMs: number;
}

/** Of names that are not known. */
const faultsShownMax = 16;

const validator = lazy(() => Compile(PreferenceChoices));

/** Throws CARILLON_PREFERENCES_INVALID with every fault found. */
export function checkChoices(value: unknown, context: ChoicesContext): PreferenceChoices {
  if (!validator().Check(value)) throw invalid(fieldErrors(validator(), value));
  const choices = canonical(value, context);
  const faults = [
    ...regionFaults(choices, context.previous),
    ...pauseFaults(choices, context.nowMs),
    ...nameFaults(choices, context),
    ...(choices.quietHours === undefined ? [] : quietHoursProblems(choices.quietHours)),
    ...sizeFaults(choices),
  ];
  if (faults.length > 0) throw invalid(faults);
  return choices;
}

/** What cannot be made canonical stays, to be complained about. */
function canonical(value: PreferenceChoices, { nowMs }: ChoicesContext): PreferenceChoices {
  const { pausedUntil, locale, timeZone, categories, types, ...rest } = value;
  const untilMs = typeof pausedUntil === 'string' ? parseTime(pausedUntil) : 0;
  return {
    ...rest,
    // A pause that is over is none.
    ...(untilMs > nowMs ? { pausedUntil: isoTime(untilMs) } : {}),
    ...(locale === undefined ? {} : { locale: canonicalLocale(locale) ?? locale }),
    ...(timeZone === undefined ? {} : { timeZone: canonicalTimeZone(timeZone) ?? timeZone }),
    ...(categories === undefined ? {} : { categories: withoutEmpty(categories) }),
    ...(types === undefined ? {} : { types: withoutEmpty(types) }),
  };
}

function withoutEmpty<Choices extends object>(named: Readonly<Record<string, Choices>>): Record<string, Choices> {
  return Object.fromEntries(Object.entries(named).filter(([, choices]) => Object.keys(choices).length > 0));
}

function regionFaults({ locale, timeZone }: PreferenceChoices, previous: PreferenceChoices): FieldError[] {
  const faults: FieldError[] = [];
  if (timeZone !== undefined && timeZone !== previous.timeZone && canonicalTimeZone(timeZone) === null)
    faults.push({
      path: '/timeZone',
      detail: 'Is no name of a time zone in the IANA database, such as Europe/Berlin.',
    });
  if (locale !== undefined && locale !== previous.locale && canonicalLocale(locale) === null)
    faults.push({ path: '/locale', detail: 'Is no language tag (BCP 47), such as de-AT.' });
  return faults;
}

function pauseFaults({ pausedUntil }: PreferenceChoices, nowMs: number): FieldError[] {
  if (pausedUntil === undefined || pausedUntil === null) return [];
  if (parseTime(pausedUntil) <= nowMs + limits.pauseMsMax) return [];
  return [{ path: '/pausedUntil', detail: 'Lies more than a year ahead: use muteAll to hear nothing for good.' }];
}

function nameFaults({ types = {}, categories = {} }: PreferenceChoices, context: ChoicesContext): FieldError[] {
  const { previous, types: catalogue } = context;
  const told = catalogue.types.filter(({ rule }) => rule === 'notify');
  const faults: FieldError[] = [];
  const find = (path: string, names: readonly string[], known: ReadonlySet<string>, detail: string): void => {
    for (const name of names) if (!known.has(name)) faults.push({ path: `${path}/${escapePointer(name)}`, detail });
  };
  const knownTypes = new Set([...told.map(({ name }) => name), ...Object.keys(previous.types ?? {})]);
  const knownCategories = new Set([...told.map(({ category }) => category), ...Object.keys(previous.categories ?? {})]);
  find('/types', Object.keys(types), knownTypes, 'Is no type that anybody is told of.');
  find('/categories', Object.keys(categories), knownCategories, 'Is no category of the catalogue.');
  return faults.slice(0, faultsShownMax);
}

function sizeFaults(choices: PreferenceChoices): FieldError[] {
  if (Buffer.byteLength(JSON.stringify(choices)) <= limits.preferencesBytesMax) return [];
  return [{ path: '', detail: `Has more than ${limits.preferencesBytesMax} bytes.` }];
}

function invalid(fields: readonly FieldError[]): CarillonError {
  return new CarillonError('CARILLON_PREFERENCES_INVALID', 'The preferences cannot be stored as they are.', { fields });
}
