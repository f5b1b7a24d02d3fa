#!/usr/bin/env node
/** Process entry. Exit codes: 0: done, or stopped as asked · 1: a fault · 2: wrong configuration or use. */
import { CommanderError } from 'commander';
import { ConfigError } from './base/config-error.ts';
import { commandLine } from './command-line.ts';
import { CatalogueError } from './content/catalogue-problem.ts';

try {
  await commandLine().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  if (error instanceof ConfigError || error instanceof CatalogueError) {
    console.error(error.message);
    process.exit(2);
  }
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
