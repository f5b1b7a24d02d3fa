/** Days of a person's week, in order. Apart from the schemas: whoever only plans by them need not load what judges. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];
