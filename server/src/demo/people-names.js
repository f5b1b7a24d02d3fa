/** Names of people seen on this page, for lists that know ids only. */
import { cast } from './social-events.js';

const names = new Map(cast.map(({ id, name }) => [id, name]));

export function rememberName(person) {
  if (person.name) names.set(person.id, person.name);
}

export function nameOf(id) {
  return names.get(id) ?? `User ${id}`;
}
