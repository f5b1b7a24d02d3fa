/**
 * The composition root: reads like the flow, from the engine outward. No logic of its own: what the engine does not give
 * in this process is not there. Parts are stopped in the reverse order of their start (M4).
 */

import { resolve } from 'node:path';
import { attachStream } from './api/attach-stream.ts';
import { audienceOperations } from './api/audience-operations.ts';
import { broadcastOperations } from './api/broadcast-operations.ts';
import { deadLetterOperations } from './api/dead-letter-operations.ts';
import { devToken } from './api/dev-token.ts';
import { deviceOperations } from './api/device-operations.ts';
import { documentOperations } from './api/document-operations.ts';
import { endSessionDevices } from './api/end-session-devices.ts';
import { healthOperations } from './api/health-operations.ts';
import { createHttpServer, type HttpServerOptions } from './api/http-server.ts';
import { inboxOperations } from './api/inbox-operations.ts';
import { listDeliveries } from './api/list-deliveries.ts';
import type { Operation } from './api/operation.ts';
import { postEvents } from './api/post-events.ts';
import { previewType } from './api/preview-type.ts';
import { profileOperations } from './api/profile-operations.ts';
import { revokeSession } from './api/revoke-session.ts';
import { rotateKeys } from './api/rotate-keys.ts';
import { simulateEvent } from './api/simulate-event.ts';
import { streamOperations } from './api/stream-operations.ts';
import { ApiKeys } from './auth/api-keys.ts';
import { DevTokens } from './auth/dev-tokens.ts';
import { Revocations } from './auth/revocations.ts';
import { TokenAuthenticator } from './auth/token-authenticator.ts';
import { createTokenIssuer, type TokenIssuer } from './auth/token-issuer.ts';
import type { Clock } from './base/clock.ts';
import type { Config } from './base/config-schema.ts';
import { derivedConfig } from './base/derived-config.ts';
import { dayMs } from './base/iso-time.ts';
import { limits } from './base/limits.ts';
import type { Log } from './base/log.ts';
import { NowAndThen } from './base/now-and-then.ts';
import type { Random } from './base/random.ts';
import { releaseVersion } from './base/release-version.ts';
import { CatalogueReload, catalogueStamp } from './content/catalogue-reload.ts';
import { LiveContent } from './content/live-content.ts';
import { readCatalogue } from './content/read-catalogue.ts';
import { capRulesOf } from './decide/cap-rules.ts';
import { vapidPublicKey } from './deliver/push/create-push-providers.ts';
import { Gateway } from './deliver/realtime/gateway.ts';
import { demoOperations } from './demo/demo-operations.ts';
import { announcementSettings } from './embedded/announcement-settings.ts';
import type { Problem } from './embedded/shard-reports.ts';
import type { Engine } from './engine.ts';
import { Idempotency } from './intake/idempotency.ts';
import { Intake } from './intake/intake.ts';
import { mailOperations } from './mail-operations.ts';
import { FrontTelemetry } from './ops/front-telemetry.ts';
import { processUse, renderMetrics } from './ops/metrics.ts';
import type { Readiness } from './ops/readiness.ts';
import { type Secrets, secretsOf } from './secrets-of.ts';

export interface AppParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface App {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Rejects when the app cannot go on. */
  readonly failed: Promise<never>;
  /** Reads the app's catalogue files anew; what is wrong with them is logged. */
  reloadCatalogue(): Promise<void>;
  /** Ends within `limits.stopMs`; everything acknowledged is on disk. */
  stop(): Promise<void>;
}

export async function startApp(parts: AppParts): Promise<App> {
  const { config, clock, random, log } = parts;
  const isDevelopment = config.mode === 'development';
  const secrets = await secretsOf(config, random);
  const front = new FrontTelemetry({ log, clock });
  const stamp = await catalogueStamp(config.content);
  const content = new LiveContent(readCatalogue(config.content));
  const engine = await startEngine(parts, secrets, { front, content });
  const useElsewhere = engine.useCatalogue.bind(engine);
  const reload = new CatalogueReload({ settings: config.content, stamp, content, clock, log, useElsewhere });

  const devTokens = isDevelopment ? new DevTokens(secrets.tokens, clock, random) : null;
  const revocations = await revocationsOf(engine, parts);
  const authenticator = new TokenAuthenticator({
    keys: new ApiKeys(config.auth.producerKeys, config.auth.operators),
    issuers: tokenIssuers(parts, devTokens),
    revocations,
    clock,
  });

  const intake = intakeOf(engine, { clock, front, content });
  if (intake !== null) front.watchLanes(() => intake.closedLanes());
  const { allowedOrigins } = config.stream;
  const { feed, looking, tickets } = engine;
  const hears = { onCut: front.streamCut, ...(looking && { looking }) };
  const gateway =
    feed && new Gateway({ feed, authenticator, revocations, tickets, clock, random, allowedOrigins, limits, ...hears });

  const readiness: Readiness = { checks: [front.storage, ...engine.checks] };
  const metrics = async (): Promise<string> => {
    const ofEngine = await engine.metrics();
    return renderMetrics([front.snapshot(gateway?.stats() ?? null), ...ofEngine], processUse());
  };
  const operations: Operation[] = [
    ...(intake === null ? [] : [postEvents(intake)]),
    ...personOperations(engine, { revocations, content, clock, vapidKey: await vapidKeyOf(config) }),
    ...manyPeopleOperations(engine, clock),
    ...(gateway === null ? [] : streamOperations(gateway, tickets)),
    ...mailOperations(engine, { ...parts, secret: secrets.email, content }),
    previewType(() => content.current),
    ...operatorOperations(engine, { content, clock }),
    ...healthOperations(readiness, metrics),
    ...(devTokens === null ? [] : [devToken(devTokens)]),
  ];
  const documents = documentOperations(operations, content, releaseVersion);
  const demo = isDevelopment ? await demoOperations(clock) : [];

  let isStopping = false;
  const http = createHttpServer({
    operations: [...operations, ...documents, ...demo],
    authenticator,
    clock,
    random,
    idempotency: new Idempotency(engine.idempotency, clock, (error) => log.write('requestFailed', {}, error)),
    allowedOrigins,
    draining: () => isStopping,
    onAnswer: front.httpAnswered,
    onFailure: logFailures(parts),
  });
  const detachStream = gateway === null ? () => {} : attachStream(http.server, gateway, random);
  const url = await http.listen({ host: config.host, port: config.port });

  return {
    url,
    failed: engine.failed,
    reloadCatalogue: () => reload.take(),
    async stop() {
      isStopping = true;
      detachStream();
      await gateway?.drain(limits.drainMs);
      await http.close();
      await reload.stop();
      front.stop();
      await engine.stop();
    },
  };
}

/** Development mode makes one. */
function vapidKeyOf({ push, mode, dataDir }: Config): Promise<string | null> {
  return vapidPublicKey(push, mode === 'development' ? dataDir : null);
}

/** With what was revoked before the last stop. */
async function revocationsOf(engine: Engine, { clock, log }: AppParts): Promise<Revocations> {
  const revocations = new Revocations(engine.revocations, clock);
  await revocations.load();
  const failed = (error: unknown): void => log.write('sessionDevicesFailed', {}, error);
  if (engine.devices !== null) endSessionDevices(revocations, engine.devices, failed);
  return revocations;
}

/** What is refused is told now and then; what fails, each time. */
function logFailures({ clock, log }: AppParts): NonNullable<HttpServerOptions['onFailure']> {
  const refusals = new NowAndThen(clock, limits.refusalToldMs);
  return ({ requestId, route, error }) => {
    const isRefusal = error.retryAfterSeconds !== undefined;
    if (!isRefusal || refusals.isDue(error.code)) log.write('requestFailed', { requestId, operation: route }, error);
  };
}

/** An engine is loaded only where it is asked for: each brings libraries that the other does not need. */
async function startEngine(
  parts: AppParts,
  { cursors: cursorSecret, email: emailSecret, encryption }: Secrets,
  { front, content }: { front: FrontTelemetry; content: LiveContent },
): Promise<Engine> {
  const { config, clock, random, log } = parts;
  const onProblem = ({ event, fields, error }: Problem): void => log.write(event, fields, error);
  if (config.engine === 'cluster') {
    const { startCluster } = await import('./cluster/start-cluster.ts');
    return startCluster({
      ...parts,
      content,
      cursorSecret,
      emailSecret,
      encryption,
      onProblem,
      onEvents: front.eventsTaken,
    });
  }
  const { EmbeddedEngine } = await import('./embedded/embedded-engine.ts');
  return EmbeddedEngine.start({
    dataDir: config.dataDir,
    shards: derivedConfig(config).shards,
    deviceIdleDays: config.devices.idleDays,
    segmentBytes: config.log.segmentBytes,
    logKeptMs: config.log.keptDays * dayMs,
    rowsPerPersonMax: config.inbox.rowsPerPersonMax,
    exactPeopleMax: config.inbox.exactPeopleMax,
    retentionMs: config.inbox.retentionDays * dayMs,
    audiences: config.audiences,
    announce: announcementSettings(config),
    softBouncesMax: config.email.softBouncesMax,
    capRules: capRulesOf(config.caps),
    lookingKeptMs: config.stream.presentSeconds * 1000,
    cursorSecret,
    encryption,
    push: config.push,
    pushKeyFolder: config.mode === 'development' ? resolve(config.dataDir) : null,
    email: config.email,
    emailSecret,
    catalogue: content.source,
    clock,
    random,
    onProblem,
  });
}

/** What is for many people at once. */
function manyPeopleOperations({ audiences, announcements }: Engine, clock: Clock): Operation[] {
  return [
    ...(audiences === null ? [] : audienceOperations(audiences, clock)),
    ...(announcements === null ? [] : broadcastOperations(announcements)),
  ];
}

/** What operators ask beside what belongs to another stage. */
function operatorOperations(
  { simulator, deadLetters, deliveryHistory }: Engine,
  parts: Pick<PersonParts, 'content' | 'clock'>,
): Operation[] {
  return [
    ...(simulator === null ? [] : [simulateEvent({ simulator, ...parts })]),
    ...(deadLetters === null ? [] : deadLetterOperations(deadLetters)),
    ...(deliveryHistory === null ? [] : [listDeliveries(deliveryHistory)]),
  ];
}

interface PersonParts {
  readonly revocations: Revocations;
  readonly vapidKey: string | null;
  readonly content: LiveContent;
  readonly clock: Clock;
}

/** What people ask of their inboxes and choices. */
function personOperations(
  { inbox, profiles, devices, rotation, audiences, deliveryHistory }: Engine,
  { revocations, content, clock, vapidKey }: PersonParts,
): Operation[] {
  if (inbox === null || profiles === null || devices === null || rotation === null) return [];
  return [
    revokeSession(revocations, devices),
    rotateKeys(rotation),
    ...inboxOperations(inbox, content.localeOf, deliveryHistory),
    ...profileOperations({ profiles, devices, inbox, audiences, types: content, clock }),
    ...deviceOperations({ devices, revocations, vapidKey }),
  ];
}

interface IntakeParts {
  readonly clock: Clock;
  readonly front: FrontTelemetry;
  readonly content: LiveContent;
}

function intakeOf({ log, rate, audiences }: Engine, { clock, front, content }: IntakeParts): Intake | null {
  if (log === null) return null;
  const known = audiences === null ? {} : { audiences };
  return new Intake({ log, types: content, clock, rate, ...known, onResult: front.eventsTaken });
}

function tokenIssuers({ config, clock, log }: AppParts, devTokens: DevTokens | null): TokenIssuer[] {
  const keysFailed = (issuer: string): void => log.write('keysUnavailable', { issuer });
  const issuers = config.auth.userTokens.map((settings) =>
    createTokenIssuer(settings, { clock, kinds: ['user', 'producer'], keysFailed }),
  );
  return devTokens === null ? issuers : [...issuers, devTokens.issuer];
}
