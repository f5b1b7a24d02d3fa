/** A language as BCP 47 writes it: `de-AT`. Null for what is none. */
export function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
