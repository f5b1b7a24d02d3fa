/**
 * The commands of `carillon`. Flags go before the environment, which goes before the configuration file (docs/CONFIG.md).
 * Each command loads what it needs when it runs: `start` must not wait for the others.
 */
import { broadcastActions } from '@carillon/contract/broadcast-states.ts';
import { Argument, Command, Option } from 'commander';
import { systemClock } from './base/clock.ts';
import { type ConfigNode, loadConfig, typedValue } from './base/config.ts';
import { Config, roles } from './base/config-schema.ts';
import { systemRandom } from './base/random.ts';
import { releaseVersion } from './base/release-version.ts';
import type { PreviewRequest } from './content/preview.ts';
import type { BroadcastRequest } from './run-broadcast.ts';
import type { DlqWish } from './run-dlq.ts';
import type { SuppressionWish } from './run-suppressions.ts';

/** As commander gives them: one per flag that was used. */
interface Flags {
  readonly config?: string;
  readonly [key: string]: string | undefined;
}

export function commandLine(): Command {
  const program = new Command('carillon')
    .description('Self-hosted, real-time notifications for social applications.')
    .version(releaseVersion)
    .showHelpAfterError('(`carillon help` lists the commands, `carillon <command> --help` their flags.)')
    .exitOverride();
  program
    .command('start', { isDefault: true })
    .description('Start the service (this is what no command at all does)')
    .addOption(engineFlag())
    .addOption(new Option('--roles <list>', `cluster engine: what this process does, of ${roles.join(',')}`))
    .addOption(new Option('--host <address>', 'address to listen on'))
    .addOption(new Option('--port <number>', 'port to listen on; 0 takes any free one'))
    .addOption(dataFlag())
    .addOption(configFlag())
    .action(async (flags: Flags) => {
      const config = configOf(flags);
      const { runService } = await import('./run-service.ts');
      await runService(config);
    });
  program
    .command('migrate')
    .description('Make the topics and tables of the cluster engine, or bring them up to this release')
    .addOption(configFlag())
    .action(async (flags: Flags) => {
      const config = configOf(flags, { engine: 'cluster' });
      const { migrate } = await import('./cluster/migrate.ts');
      for (const line of await migrate(config, systemClock)) console.log(line);
    });
  program
    .command('check')
    .description(
      'Check the configuration, the type catalogue, and that what the engine stands on is there and prepared',
    )
    .addArgument(
      new Argument('[what]', 'push, email: ask the providers whether they take our credentials').choices([
        'push',
        'email',
      ]),
    )
    .option('--release', 'take the types as they are for released: write the file that `content.releasedTypes` names')
    .addOption(engineFlag())
    .addOption(configFlag())
    .action(async (what: string | undefined, { release, ...flags }: Flags) => {
      const config = configOf(flags);
      if (what === 'push' || what === 'email') return checkProviders(what, config);
      const { runCatalogueCheck } = await import('./run-catalogue-check.ts');
      if (!runCatalogueCheck(config, release !== undefined)) process.exitCode = 1;
      if (config.engine === 'cluster') {
        const { checkServices } = await import('./cluster/check-services.ts');
        await checkServices(config, systemClock);
      }
      console.log(
        `The configuration is valid${config.engine === 'cluster' ? ', and the services are there and prepared' : ''}.`,
      );
    });
  addPreview(program);
  addSimulate(program);
  addSuppressions(program);
  addBroadcast(program);
  addDlq(program);
  addMove(program);
  addKeys(program);
  addSend(program);
  addUser(program);
  for (const command of program.commands) {
    for (const each of [command, ...command.commands]) each.exitOverride().allowExcessArguments(false);
  }
  return program;
}

async function checkProviders(what: 'push' | 'email', config: Config): Promise<void> {
  const run =
    what === 'push'
      ? (await import('./run-check-push.ts')).runCheckPush
      : (await import('./run-check-email.ts')).runCheckEmail;
  const { lines, isGood } = await run(config);
  for (const line of lines) console.log(line);
  if (!isGood) process.exitCode = 1;
}

function addPreview(program: Command): void {
  program
    .command('preview')
    .description('Show what a type of event reads like: one person, two, and many')
    .requiredOption('--type <type>', 'such as post.liked')
    .option('--locale <tag>', 'language; the default one if left out')
    .addOption(
      new Option('--channel <channel>', 'where it is read').choices(['inApp', 'push', 'email']).default('inApp'),
    )
    .addOption(new Option('--privacy <level>', 'what a lock screen may show').choices(['full', 'sender', 'hidden']))
    .addOption(new Option('--whole <part>', 'of email: a whole mail, with its headers').choices(['text', 'html']))
    .option('--json', 'for programs')
    .addOption(configFlag())
    .action(async ({ type = '', locale, channel, privacy, whole, json, ...flags }: Flags) => {
      const { runPreview } = await import('./run-preview.ts');
      const asked = { type, locale: locale ?? null, channel, privacy } as PreviewRequest;
      if (channel === 'email' && whole !== undefined) {
        const { runPreviewEmail } = await import('./run-preview-email.ts');
        for (const line of runPreviewEmail(configOf(flags), asked, whole === 'html')) console.log(line);
        return;
      }
      for (const line of runPreview(configOf(flags), asked, json !== undefined)) console.log(line);
    });
}

function addSimulate(program: Command): void {
  program
    .command('simulate')
    .argument('[file]', 'the event as JSON; standard input if left out', '-')
    .description('Ask a running service what would happen if an event came now; nothing is stored')
    .addOption(urlFlag())
    .addOption(tokenFlag())
    .option('--json', 'for programs')
    .action(async (file: string, { url = '', token, json }: Flags) => {
      const { runSimulate } = await import('./run-simulate.ts');
      try {
        for (const line of await runSimulate({ file, url, token, isJson: json !== undefined })) console.log(line);
      } catch (error) {
        program.error(`error: ${(error as Error).message}`, { exitCode: 1 });
      }
    });
}

function addSuppressions(program: Command): void {
  program
    .command('suppressions')
    .addArgument(new Argument('<what>', 'list, show, add or clear').choices(['list', 'show', 'add', 'clear']))
    .argument('[address]', 'email address, but for list')
    .description('Email addresses that get no mail, or only what is critical, of a running service')
    .addOption(urlFlag())
    .addOption(tokenFlag())
    .option('--json', 'for programs; of list one line for each, to keep')
    .action(async (what: SuppressionWish, address: string | undefined, { url = '', token, json }: Flags) => {
      const { runSuppressions } = await import('./run-suppressions.ts');
      try {
        const asked = { what, address, url, token, isJson: json !== undefined };
        for await (const line of runSuppressions(asked)) console.log(line);
      } catch (error) {
        program.error(`error: ${(error as Error).message}`, { exitCode: 1 });
      }
    });
}

function addBroadcast(program: Command): void {
  const broadcast = program
    .command('broadcast')
    .description('Write, approve, start and watch broadcasts of a running service');
  const add = (
    name: string,
    description: string,
    ask: (id: string, flags: Flags) => BroadcastRequest['ask'],
  ): Command =>
    broadcast
      .command(name)
      .description(description)
      .addOption(urlFlag())
      .addOption(tokenFlag())
      .option('--json', 'for programs')
      .exitOverride()
      .allowExcessArguments(false)
      .action(async (...given: unknown[]) => {
        const flags = given.at(-2) as Flags;
        const { runBroadcast } = await import('./run-broadcast.ts');
        const { url = '', token, json } = flags;
        try {
          const wanted = ask(typeof given[0] === 'string' ? given[0] : '', flags);
          for (const line of await runBroadcast({ url, token, isJson: json !== undefined, ask: wanted }))
            console.log(line);
        } catch (error) {
          program.error(`error: ${(error as Error).message}`, { exitCode: 1 });
        }
      });
  add('create', 'Write one from a file; nobody gets it until it is approved and started', (file) => {
    return { kind: 'create', file };
  }).argument('[file]', 'name, content and to as JSON; standard input if left out', '-');
  add('list', 'The newest ones', () => ({ kind: 'list' }));
  add('show', 'How far one is, and who did what to it', (id) => ({ kind: 'show', id })).argument('<id>');
  for (const action of broadcastActions) {
    const command = add(action, `${actionTexts[action]}`, (id, { at }) => ({ kind: action, id, at })).argument('<id>');
    if (action === 'start') command.option('--at <time>', 'when, such as 2026-03-10T08:00:00Z; now if left out');
  }
}

const actionTexts: Readonly<Record<(typeof broadcastActions)[number], string>> = {
  approve: 'Approve one that another operator wrote',
  start: 'Start one that is approved, now or at a time',
  confirm: 'Start one whose time passed while the service was down',
  pause: 'Halt one that is running',
  resume: 'Let one that was paused go on where it was',
  cancel: 'End one for good',
};

function addDlq(program: Command): void {
  program
    .command('dlq')
    .addArgument(new Argument('<what>', 'list, count or redrive').choices(['list', 'count', 'redrive']))
    .description(
      'Deliveries that ended without their provider having them, of a running service; redrive sends them again',
    )
    .option('--channel <name>', 'push or email')
    .option('--provider <name>', 'such as apns or smtp')
    .option('--code <code>', "the provider's reason")
    .option('--user <id>', 'of this person')
    .option('--state <state>', 'failed, or unknown: may have been sent')
    .option('--dry-run', 'of redrive: only say what would become of them')
    .addOption(urlFlag())
    .addOption(tokenFlag())
    .option('--json', 'for programs; of list one line for each')
    .action(async (what: DlqWish, { url = '', token, json, dryRun, ...flags }: Flags & { dryRun?: true }) => {
      const { runDlq } = await import('./run-dlq.ts');
      const { channel, provider, code, user, state } = flags as Readonly<Record<string, string | undefined>>;
      const filter = { channel, provider, code, user, state };
      const common = { url, token, isJson: json !== undefined, isDryRun: dryRun !== undefined, clock: systemClock };
      try {
        for await (const line of runDlq({ what, filter, ...common })) console.log(line);
      } catch (error) {
        program.error(`error: ${(error as Error).message}`, { exitCode: 1 });
      }
    });
}

function addMove(program: Command): void {
  program
    .command('move')
    .description('Copy the data of an embedded engine into an empty cluster, and compare; neither may run meanwhile')
    .requiredOption('--from <engine>', 'embedded')
    .requiredOption('--to <engine>', 'cluster')
    .addOption(dataFlag())
    .addOption(configFlag())
    .action(async ({ from, to, ...flags }: Flags) => {
      if (from !== 'embedded' || to !== 'cluster') {
        program.error('error: data are moved --from embedded --to cluster only', { exitCode: 2 });
      }
      const config = configOf(flags, { engine: 'cluster' });
      const { describeMove, isWhole, runMove } = await import('./cluster/run-move.ts');
      const onProgress = (stage: string, people: number): void => console.error(`${stage}: ${people} people`);
      const report = await runMove({ config, clock: systemClock, random: systemRandom, onProgress });
      for (const line of describeMove(report)) console.log(line);
      if (!isWhole(report)) process.exitCode = 1;
    });
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('Keys of what is encrypted at rest');
  keys
    .command('rotate')
    .description(
      'Have a running service encrypt everything with the first of encryption.keys; may be run again at any time',
    )
    .addOption(urlFlag())
    .addOption(tokenFlag())
    .action(async ({ url = '', token }: Flags) => {
      const { runKeysRotate } = await import('./run-keys.ts');
      const onProgress = (changed: number): void => console.error(`${changed} values encrypted anew`);
      for (const line of await runKeysRotate({ url, token }, onProgress)) console.log(line);
    });
}

function addSend(program: Command): void {
  program
    .command('send')
    .description('Send an event through a running service as an app would, and show what became of it')
    .requiredOption('--to <user>', 'whom it is for')
    .option('--type <type>', 'type of the event', 'system.notice')
    .option('--title <text>', 'what it is about', 'A test from the command line')
    .option('--actor <id>', 'who did it; needed by types that people cause, such as message.sent')
    .option('--source <source>', 'source to write as', 'carillon-cli')
    .addOption(urlFlag())
    .addOption(producerFlag())
    .option('--operator <key>', 'key of an operator, to see what became of it; not needed in development mode')
    .option('--json', 'for programs')
    .action(async ({ to = '', type = '', title = '', actor, source = '', url = '', token, operator, json }: Flags) => {
      const { runSend } = await import('./run-send.ts');
      const request = {
        to,
        type,
        title,
        actor: actor ?? null,
        source,
        url,
        token,
        operator,
        isJson: json !== undefined,
      };
      for (const line of await runSend(request, { clock: systemClock, random: systemRandom })) console.log(line);
    });
}

function addUser(program: Command): void {
  program
    .command('user')
    .description('Everything that a running service keeps of a person: have it, or have it forgotten')
    .addArgument(new Argument('<what>', 'export or erase').choices(['export', 'erase']))
    .argument('<user>', 'id of the person')
    .addOption(urlFlag())
    .addOption(producerFlag())
    .action(async (what: 'export' | 'erase', user: string, { url = '', token }: Flags) => {
      const { runUser } = await import('./run-user.ts');
      for (const line of await runUser({ what, user, url, token })) console.log(line);
    });
}

const producerFlag = (): Option =>
  new Option('--token <key>', 'key of a producer; not needed in development mode').env('CARILLON_TOKEN');
const engineFlag = (): Option =>
  new Option('--engine <engine>', 'embedded: one process · cluster: Kafka, Cassandra, Redis and PostgreSQL');
const urlFlag = (): Option =>
  new Option('--url <url>', 'where it runs').env('CARILLON_URL').default('http://127.0.0.1:8080');
const tokenFlag = (): Option =>
  new Option('--token <key>', 'key of an operator; not needed in development mode').env('CARILLON_TOKEN');
const configFlag = (): Option => new Option('--config <file>', 'configuration file, YAML or JSON');
const dataFlag = (): Option => new Option('--data-dir <folder>', 'folder of the data of the embedded engine');

/** `more`: what the command itself decides. Throws ConfigError. */
function configOf({ config, ...flags }: Flags, more: object = {}): Config {
  const nodes = (Config as ConfigNode).properties ?? {};
  const given = Object.entries(flags).map(([key, text]) => [key, typedValue(nodes[key] ?? {}, text ?? '')]);
  const file = config === undefined ? {} : { file: config };
  return loadConfig({ env: process.env, ...file, flags: { ...Object.fromEntries(given), ...more } });
}
