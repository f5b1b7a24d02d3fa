/**
 * Which locales stand in for one another (C2): region → language, along the parents that CLDR names, and never into
 * another script: es-MX → es-419 → es, pt-AO → pt-PT → pt, zh-TW → zh-Hant and not zh.
 */

/** `parentLocales` of CLDR 48, by parent, as far as they are more than leaving off the last part. */
const children: Readonly<Record<string, string>> = {
  'en-001':
    'en-150 en-AG en-AI en-AU en-BB en-BM en-BS en-BW en-BZ en-CC en-CK en-CM en-CX en-CY en-DG en-DM en-ER en-FJ en-FK ' +
    'en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GS en-GY en-HK en-ID en-IE en-IL en-IM en-IN en-IO en-JE en-JM en-KE ' +
    'en-KI en-KN en-KY en-LC en-LR en-LS en-MG en-MO en-MS en-MT en-MU en-MV en-MW en-MY en-NA en-NF en-NG en-NR en-NU ' +
    'en-NZ en-PG en-PK en-PN en-PW en-RW en-SB en-SC en-SD en-SG en-SH en-SL en-SS en-SX en-SZ en-TC en-TK en-TO en-TT ' +
    'en-TV en-TZ en-UG en-VC en-VG en-VU en-WS en-ZA en-ZM en-ZW',
  'en-150':
    'en-AT en-BE en-CH en-CZ en-DE en-DK en-EE en-ES en-FI en-FR en-GE en-HU en-IT en-LT en-LV en-NL en-NO en-PL en-PT ' +
    'en-RO en-SE en-SI en-SK en-UA',
  'en-IN': 'hi-Latn',
  'es-419':
    'es-AR es-BO es-BR es-BZ es-CL es-CO es-CR es-CU es-DO es-EC es-GT es-HN es-JP es-MX es-NI es-PA es-PE es-PR es-PY ' +
    'es-SV es-US es-UY es-VE',
  'fr-HT': 'ht',
  no: 'nb nn no-NO',
  'pt-PT': 'pt-AO pt-CH pt-CV pt-FR pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-ST pt-TL',
  'zh-Hant-HK': 'zh-Hant-MO',
};

const parents: ReadonlyMap<string, string> = new Map(
  Object.entries(children).flatMap(([parent, list]) => list.split(' ').map((child) => [child, parent])),
);

/** The locale itself and what stands in for it, the nearest first; none for what is no language tag. */
export function localeChain(tag: string): string[] {
  const chain: string[] = [];
  for (let next = canonicalLocale(tag); next !== null; next = parentOf(next)) chain.push(next);
  return chain;
}

/** In canonical spelling, without extensions, and with its script where that is not the usual one. Null for no tag. */
export function canonicalLocale(tag: string): string | null {
  try {
    const { language, script, region, baseName } = new Intl.Locale(tag);
    if (language === 'und') return null;
    if (script !== undefined || region === undefined) return baseName;
    const { script: own } = new Intl.Locale(`${language}-${region}`).maximize();
    return own === usualScript(language) ? baseName : baseName.replace(language, `${language}-${own}`);
  } catch {
    return null;
  }
}

/** `locale`: canonical. */
function parentOf(locale: string): string | null {
  const named = parents.get(locale);
  if (named !== undefined) return named;
  const end = locale.lastIndexOf('-');
  if (end === -1) return null;
  const parent = locale.slice(0, end);
  const { language, script } = new Intl.Locale(locale);
  const leavesScript = parent === language && script !== undefined && script !== usualScript(language);
  return leavesScript ? null : parent;
}

function usualScript(language: string): string | undefined {
  return new Intl.Locale(language).maximize().script;
}

/** Language tags of an Accept-Language header, the most wanted first (RFC 9110); `*` and what is not wanted are left out. */
export function acceptedLanguages(header: string): string[] {
  return header
    .split(',', 32)
    .map((part) => {
      const [tag = '', ...params] = part.split(';').map((text) => text.trim());
      const q = params.find((param) => /^q=/i.test(param))?.slice(2);
      return { tag, q: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, q }) => tag !== '' && tag !== '*' && q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => tag);
}
