/** Finds and starts a real Chromium. Nothing is downloaded: where there is none, the error says what to install. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const places = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const chromiumMissing =
  'These tests need Chromium. Install it (Debian: apt-get install -y --no-install-recommends chromium), ' +
  'or name one in CARILLON_CHROMIUM.';

/** Path of the browser, or null if there is none. */
export function findChromium(): string | null {
  const named = process.env.CARILLON_CHROMIUM;
  if (named !== undefined && named !== '') return existsSync(named) ? named : null;
  for (const name of names) {
    const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout?.trim();
    if (found) return found;
  }
  return places.find((path) => existsSync(path)) ?? null;
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags });
}
