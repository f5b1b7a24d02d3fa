/** What a schema cannot say of how devices are pushed to: keys that exclude or need each other, and what each mode allows. */
import type { ConfigProblem } from './config-error.ts';
import type { PushSettings } from './push-settings.ts';

export function pushProblems(push: PushSettings, mode: 'development' | 'production'): ConfigProblem[] {
  return [
    ...push.apns.flatMap((entry, i) => oneOf(`push.apns[${i}]`, entry, ['key', 'keyFile'])),
    ...push.fcm.flatMap((entry, i) => oneOf(`push.fcm[${i}]`, entry, ['serviceAccount', 'serviceAccountFile'])),
    ...repeatedApps(push),
    ...webPushProblems(push.webpush, mode),
    ...[...push.apns.entries()].flatMap(([i, { url }]) => urlProblems(`push.apns[${i}].url`, url)),
    ...[...push.fcm.entries()].flatMap(([i, { url }]) => urlProblems(`push.fcm[${i}].url`, url)),
    ...urlProblems('push.expo.url', push.expo.url),
  ];
}

function oneOf(
  path: string,
  entry: Readonly<Record<string, unknown>>,
  keys: readonly [string, string],
): ConfigProblem[] {
  const given = keys.filter((key) => entry[key] !== undefined).length;
  return given === 1 ? [] : [{ path, detail: `needs exactly one of ${keys[0]} and ${keys[1]}` }];
}

/** A device's app picks the credentials, so it must be clear which. */
function repeatedApps({ apns, fcm }: PushSettings): ConfigProblem[] {
  const seen = new Set<string>();
  const named = [
    ...apns.flatMap(({ apps, environment }, i) =>
      (environment === undefined ? ['production', 'sandbox'] : [environment]).flatMap((each) =>
        apps.map((app) => ({ path: `push.apns[${i}].apps`, app, name: `apns ${app} ${each}` })),
      ),
    ),
    ...fcm.flatMap(({ apps }, i) => apps.map((app) => ({ path: `push.fcm[${i}].apps`, app, name: `fcm ${app}` }))),
  ];
  return named.flatMap(({ path, app, name }) => {
    if (seen.has(name)) return [{ path, detail: `${app} is given twice for the same environment` }];
    seen.add(name);
    return [];
  });
}

function webPushProblems(webpush: PushSettings['webpush'], mode: 'development' | 'production'): ConfigProblem[] {
  const { subject, privateKey, privateKeyFile, localEndpoints } = webpush;
  const problems: ConfigProblem[] = [];
  const hasKey = privateKey !== undefined || privateKeyFile !== undefined;
  if (privateKey !== undefined && privateKeyFile !== undefined)
    problems.push({ path: 'push.webpush', detail: 'needs only one of privateKey and privateKeyFile' });
  if (hasKey && subject === undefined)
    problems.push({
      path: 'push.webpush.subject',
      detail: 'is needed with a key: push services must know whom to write to',
    });
  if (subject !== undefined && !/^mailto:[^@\s]+@[^@\s]+$/.test(subject) && URL.parse(subject)?.protocol !== 'https:')
    problems.push({ path: 'push.webpush.subject', detail: 'must be mailto:name@domain or an https URL' });
  if (localEndpoints && mode === 'production')
    problems.push({ path: 'push.webpush.localEndpoints', detail: 'is for development mode only' });
  return problems;
}

function urlProblems(path: string, text: string | undefined): ConfigProblem[] {
  if (text === undefined) return [];
  const url = URL.parse(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (url !== null && url.username === '' && (url.protocol === 'https:' || isLocal)) return [];
  return [{ path, detail: 'must be an https URL (http for loopback only)' }];
}
