/** The API for tests: a real server on a port of its own, with one token per caller: `user:ana`, `producer:posts`, … */
import type { FastifyInstance } from 'fastify';
import type { Authenticator, Principal } from '../auth/principal.ts';
import { RevocationStoreMemory } from '../auth/revocation-store-memory.ts';
import { Revocations } from '../auth/revocations.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { TenantId, UserId } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import type { DeliveryHistory } from '../deliver/delivery-store.ts';
import type { InboxService } from '../inbox/inbox-service.ts';
import { Idempotency } from '../intake/idempotency.ts';
import { IdempotencyStoreMemory } from '../intake/idempotency-store-memory.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { DeviceStoreMemory } from '../profile/device-store-memory.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { deviceOperations } from './device-operations.ts';
import { documentOperations } from './document-operations.ts';
import { healthOperations } from './health-operations.ts';
import { createHttpServer, type HttpFailure } from './http-server.ts';
import { inboxOperations } from './inbox-operations.ts';
import type { Operation } from './operation.ts';
import { profileOperations } from './profile-operations.ts';
import { revokeSession } from './revoke-session.ts';

export interface TestApi {
  readonly app: FastifyInstance;
  readonly origin: string;
  /** Answers of status 500 and above, with their causes. */
  readonly failures: readonly HttpFailure[];
  readonly clock: VirtualClock;
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** `more` are operations beside those of inbox, profiles, health and documents. */
export async function startTestApi(
  inbox: InboxService,
  more: readonly Operation[] = [],
  history: DeliveryHistory | null = null,
): Promise<TestApi> {
  const failures: HttpFailure[] = [];
  const clock = new VirtualClock();
  const profiles = new ProfileStoreMemory(clock);
  const devices = new DeviceStoreMemory(profiles, clock);
  const revocations = new Revocations(new RevocationStoreMemory(), clock);
  const operations = [
    ...inboxOperations(inbox, undefined, history),
    ...profileOperations({ profiles, devices, inbox, types: builtInTypes, clock }),
    ...deviceOperations({ devices, revocations, vapidKey: null }),
    revokeSession(revocations, devices),
    ...more,
    ...healthOperations({ checks: [] }, () => '# HELP carillon_up Always 1.\ncarillon_up 1\n'),
  ];
  const app = createHttpServer({
    operations: [...operations, ...documentOperations(operations, builtInTypes, '0.0.0')],
    authenticator: tableAuthenticator,
    clock,
    random: seededRandom(1),
    idempotency: new Idempotency(new IdempotencyStoreMemory(), clock, (error) => {
      throw error;
    }),
    onFailure: (failure) => failures.push(failure),
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    origin,
    failures,
    clock,
    profiles,
    devices,
    call: (...call) => callApi(origin, ...call),
    stop: () => app.close(),
  };
}

async function callApi(origin: string, method: string, path: string, options: CallOptions = {}): Promise<TestAnswer> {
  const { token, body, headers } = options;
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** `user:ana` is ana of the default tenant, `user:ana@other` is ana of the tenant `other`, `user:ana#one` in session `one`; `operator:admin` has the role of that name. */
const tableAuthenticator: Authenticator = {
  async authenticate(token) {
    const found = /^(user|producer|operator):([a-z]+)(?:@([a-z]+))?(?:#([a-z]+))?$/.exec(token);
    if (found === null) throw new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
    const [, kind, name, tenant = 'default', session = null] = found;
    const proven = principal(kind as Principal['kind'], name as string, tenant as TenantId);
    return proven.kind === 'user' ? { ...proven, session } : proven;
  },
};

function principal(kind: Principal['kind'], name: string, tenant: TenantId): Principal {
  const expiresAtMs = Number.MAX_SAFE_INTEGER;
  if (kind === 'user') return { kind, tenant, user: name as UserId, session: null, expiresAtMs };
  if (kind === 'producer') return { kind, tenant, caller: name, sources: [name], expiresAtMs };
  const role = (['support', 'operator', 'admin'] as const).find((each) => each === name) ?? 'viewer';
  return { kind, tenant, role, caller: name, expiresAtMs };
}
