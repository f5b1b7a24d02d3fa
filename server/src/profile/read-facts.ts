/** Between what an app says of a person and the form in which it is kept (A3). */
import { PersonFacts } from '@carillon/contract/person-facts.ts';
import { Compile } from 'typebox/compile';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { isoTime } from '../base/iso-time.ts';
import { lazy } from '../base/lazy.ts';
import { parseTime } from '../base/parse-time.ts';
import { canonicalLocale } from './canonical-locale.ts';
import { canonicalTimeZone } from './canonical-time-zone.ts';
import type { Facts } from './profile.ts';

const validator = lazy(() => Compile(PersonFacts));

/** Throws CARILLON_PERSON_INVALID with every fault found. */
export function readFacts(value: unknown): Facts {
  if (!validator().Check(value)) throw invalid(fieldErrors(validator(), value));
  const facts = value as PersonFacts;
  const locale = facts.locale === undefined ? null : canonicalLocale(facts.locale);
  const timeZone = facts.timeZone === undefined ? null : canonicalTimeZone(facts.timeZone);
  const faults: FieldError[] = [];
  if (locale === null && facts.locale !== undefined)
    faults.push({ path: '/locale', detail: 'Is no language tag (BCP 47), such as de-AT.' });
  if (timeZone === null && facts.timeZone !== undefined)
    faults.push({
      path: '/timeZone',
      detail: 'Is no name of a time zone in the IANA database, such as Europe/Berlin.',
    });
  if (faults.length > 0) throw invalid(faults);
  return {
    locale,
    timeZone,
    email: facts.email ?? null,
    emailVerified: facts.emailVerified ?? false,
    createdAtMs: facts.createdAt === undefined ? null : parseTime(facts.createdAt),
    suspended: facts.suspended ?? false,
  };
}

/** As the app would say it again. */
export function toPersonFacts({ locale, timeZone, email, emailVerified, createdAtMs, suspended }: Facts): PersonFacts {
  return {
    ...(locale === null ? {} : { locale }),
    ...(timeZone === null ? {} : { timeZone }),
    ...(email === null ? {} : { email }),
    emailVerified,
    ...(createdAtMs === null ? {} : { createdAt: isoTime(createdAtMs) }),
    suspended,
  };
}

function invalid(fields: readonly FieldError[]): CarillonError {
  return new CarillonError('CARILLON_PERSON_INVALID', 'What is said of the person cannot be stored.', { fields });
}
