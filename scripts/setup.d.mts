/** Types of setup.mjs, which is plain JavaScript because it runs before there is anything that strips types. */
export const root: string;
export const nodeMajorMin: number;
export function ensurePackages(folder?: string, say?: (line: string) => void): boolean;
export function differenceFrom(lockText: string, installedText: string): string | null;
export function readOr(path: string, otherwise: string): string;
export function findNode(
  folder?: string,
  running?: Readonly<{ version: string; execPath: string; platform: string; arch: string }>,
): string;
