/** The language to answer in, of the request's Accept-Language header (C2); null for the default locale. */
export type LocaleOf = (acceptLanguage: string | undefined) => string | null;
