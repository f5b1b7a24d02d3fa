/**
 * Writes the parts of docs/ that are lists the code holds: configuration keys, error and close codes, metrics. Each part
 * lies between two markers. `npm run docs` writes them; a test fails when a page and the code differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeCodes } from '../contract/src/close-codes.ts';
import { errorCodes } from '../contract/src/error-codes.ts';
import type { ConfigNode } from '../server/src/base/config.ts';
import { Config } from '../server/src/base/config-schema.ts';
import { type Metric, metricList } from '../server/src/base/metric-list.ts';
import { root } from './setup.mjs';

export interface GeneratedPart {
  readonly file: string;
  readonly marker: string;
  render(): string;
}

export const generatedParts: readonly GeneratedPart[] = [
  { file: 'docs/CONFIG.md', marker: 'config', render: configTable },
  { file: 'docs/ERRORS.md', marker: 'errors', render: errorTable },
  { file: 'docs/ERRORS.md', marker: 'close-codes', render: closeCodeTable },
  { file: 'docs/METRICS.md', marker: 'metrics', render: metricsTable },
];

/** The page with the part between its markers replaced. Throws when the markers are not there. */
export function withPart(page: string, marker: string, content: string): string {
  const start = `<!-- ${marker}:start -->`;
  const end = `<!-- ${marker}:end -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`There is no place between ${start} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n${content}\n${page.slice(to)}`;
}

function configTable(): string {
  const rows = configRows(Config as ConfigNode, '');
  return table(['Key', 'Environment', 'Default', 'What it is'], rows);
}

function configRows(node: ConfigNode, path: string): string[][] {
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([key, child]) =>
      configRows(child, path === '' ? key : `${path}.${key}`),
    );
  }
  const shown = node.default === undefined ? '' : code(JSON.stringify(node.default).replaceAll('"', ''));
  const row = [code(path), node.env === undefined ? '' : code(node.env), shown, node.description ?? ''];
  return node.items?.properties === undefined ? [row] : [row, ...configRows(node.items, `${path}[]`)];
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(([name, { status, title, next }]) => [
    code(name),
    String(status),
    title,
    next,
  ]);
  return table(['Code', 'Status', 'What happened', 'What to do'], rows);
}

const closeMeanings: readonly (readonly [below: number, meaning: string])[] = [
  [4100, 'reconnect with back-off'],
  [4200, 'get a new token, then reconnect'],
  [4300, 'do not reconnect'],
];

function closeCodeTable(): string {
  const rows = Object.entries(closeCodes).map(([name, number]) => {
    const meaning = closeMeanings.find(([below]) => number < below)?.[1] ?? '';
    return [String(number), code(name), meaning];
  });
  return table(['Code', 'Reason', 'What a client does'], rows);
}

function metricsTable(): string {
  const rows = Object.entries(metricList).map(([name, metric]: [string, Metric]) => {
    const labels = Object.entries(metric.labels).map(([label, values]) => `${code(label)}: ${values.join(', ')}`);
    return [code(name), metric.kind, labels.join('; '), metric.help];
  });
  return table(['Name', 'Kind', 'Labels', 'What it counts'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text}\``;

if (import.meta.main) {
  for (const { file, marker, render } of generatedParts) {
    const path = join(root, file);
    writeFileSync(path, withPart(readFileSync(path, 'utf8'), marker, render()));
  }
}
