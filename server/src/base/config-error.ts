/** What is wrong with a configuration: every problem at once, each with the path of its key. */
export interface ConfigProblem {
  /** As one would write it: `auth.userTokens[0].issuer`; a file's name for what concerns the file. */
  readonly path: string;
  readonly detail: string;
}

export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(`The configuration is not valid:\n${problems.map(({ path, detail }) => `  ${path}: ${detail}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
