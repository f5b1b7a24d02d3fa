/** `carillon check push`: asks every push provider that is configured whether it takes our credentials, and says it in words. */
import { resolve } from 'node:path';
import { systemClock } from './base/clock.ts';
import type { Config } from './base/config-schema.ts';
import { systemRandom } from './base/random.ts';
import { createPushProviders } from './deliver/push/create-push-providers.ts';

export async function runCheckPush({ push, mode, dataDir }: Config): Promise<{ lines: string[]; isGood: boolean }> {
  const keyFolder = mode === 'development' ? resolve(dataDir) : null;
  const { all } = await createPushProviders(push, { clock: systemClock, random: systemRandom, keyFolder });
  if (all.length === 0) return { lines: [nothing], isGood: true };
  try {
    const findings = (await Promise.all(all.map((provider) => provider.check()))).flat();
    const lines = findings.map(({ what, isGood, text }) => `${isGood ? 'good ' : 'WRONG'} ${what}: ${text}`);
    return { lines, isGood: findings.every(({ isGood }) => isGood) };
  } finally {
    await Promise.all(all.map((provider) => provider.close()));
  }
}

const nothing = 'No push provider is configured: docs/PUSH.md says how.';
