/**
 * Names of time zones as the world keeps them (D7): an IANA name in its present spelling, so that two names of one zone
 * are one. Offsets are no zones, since they know nothing of summer time, nor are abbreviations that mean several: `BST`.
 */

/** Zones that the runtime names as they were called long ago, by their present names in the IANA database. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Null for what is no name of a zone, offsets among it. Upper and lower case are not told apart. */
export function canonicalTimeZone(name: string): string | null {
  // What a name may look like: the runtime also takes offsets, which begin with a sign.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return null;
  try {
    // Knows the names of the database alone; the other one also takes abbreviations.
    new Temporal.ZonedDateTime(0n, name);
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return renamed[timeZone] ?? timeZone;
  } catch {
    return null;
  }
}
