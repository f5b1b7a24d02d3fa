/** One soak from beginning to end: everybody is introduced, everything is sent while all fails, and then looked at. */
import { systemClock } from '../../server/src/base/clock.ts';
import type { Random } from '../../server/src/base/random.ts';
import { isSettled } from '../../server/src/deliver/delivery-state.ts';
import { pause } from '../crash/crashing-server.ts';
import { sendStream } from '../crash/send-stream.ts';
import { keysOfLetters, type Naming } from './found-deliveries.ts';
import type { Judged } from './judge.ts';
import type { ProviderProcess } from './provider-process.ts';
import { readStores } from './read-stores.ts';
import type { SeenSend } from './seen-send.ts';
import type { ServiceUnderKill } from './service-under-kill.ts';
import { SoakApi } from './soak-api.ts';
import { channelsOf, type PlannedEndpoint, type SoakPlan, userOf } from './soak-plan.ts';

export interface Troubles {
  readonly kills: number;
  readonly killEveryMsMax: number;
  /** Of the push services: nobody answers. */
  readonly outageMs: number;
  /** Of the mail server: nothing of ours is let in. */
  readonly blockMs: number;
}

export interface SoakParts {
  readonly plan: SoakPlan;
  readonly troubles: Troubles;
  readonly service: ServiceUnderKill;
  readonly push: ProviderProcess;
  readonly mail: ProviderProcess;
  readonly dataDir: string;
  readonly random: Random;
  readonly say: (line: string) => void;
}

/** Deliveries that may wait in the service: enough to keep it busy, and few enough that the last events meet what the first did. */
const ahead = 2000;
/** Shares of the work at which the providers go away. */
const outageAt = 0.3;
const blockAt = 0.1;
/** By then the last kill has been. */
const killsUntil = 0.9;
/** What still waits is looked for so often, at most. */
const looksMax = 20;
const lookAfterMs = 3000;
const lookAfterMaxMs = 20_000;

export class Soak {
  readonly #parts: SoakParts;
  readonly #api: SoakApi;
  readonly #planned: number;
  readonly #naming: Naming;
  readonly #revivals: Promise<void>[] = [];

  constructor(parts: SoakParts) {
    this.#parts = parts;
    this.#api = new SoakApi(parts.service.server.url);
    this.#planned = deliveriesOf(parts.plan);
    const { endpoints } = parts.plan;
    const addresses = endpoints
      .filter(({ channel }) => channel === 'email')
      .map(({ user, name }) => [user, name] as const);
    const users = [...new Set(endpoints.map(({ user }) => user))];
    this.#naming = { users, tokens: this.#api.tokens, addresses: new Map(addresses) };
  }

  async run(): Promise<Judged> {
    const { plan, service, say } = this.#parts;
    await service.server.start();
    await this.#api.introduce(plan.endpoints);
    say(`${this.#naming.users.length} people introduced, with ${plan.endpoints.length} devices and addresses`);
    this.#reviveThoseWhoReturn();
    await this.#sendInTrouble();
    await this.#send(plan.lastEvents);
    say(`all sent; waiting for ${this.#planned} deliveries to end`);
    await this.#untilSettled();
    await Promise.all(this.#revivals);
    const devices = await this.#api.devicesOf(this.#naming.users);
    const letters = await this.#api.deadLetters();
    await service.server.stop();
    const deliveries = await readStores(this.#parts.dataDir, this.#naming);
    const seen: SeenSend[] = [...(await this.#parts.push.stop()), ...(await this.#parts.mail.stop())];
    const { endpoints, events, lastEvents } = plan;
    const { outages } = service;
    const deadLetters = keysOfLetters(letters, deliveries);
    return { endpoints, events: [...events, ...lastEvents], seen, deliveries, deadLetters, devices, outages };
  }

  /** Share of the planned deliveries that providers have settled. */
  #done(): number {
    const { push, mail } = this.#parts;
    return (push.settled + mail.settled) / this.#planned;
  }

  async #sendInTrouble(): Promise<void> {
    const { plan, troubles, service, push, mail, random } = this.#parts;
    const { kills, killEveryMsMax, outageMs, blockMs } = troubles;
    let isOver = false;
    const at = async (share: number, provider: ProviderProcess, ms: number): Promise<void> => {
      while (!isOver && this.#done() < share) await pause(20);
      provider.tell({ kind: 'away', ms });
      const fromMs = systemClock.now();
      service.outages.push({ fromMs, untilMs: fromMs + ms });
    };
    const kill = { kills, share: killsUntil, everyMsMax: killEveryMsMax };
    const sending = this.#send(plan.events).then(() => {
      isOver = true;
    });
    await Promise.all([
      sending,
      service.killAgainAndAgain(kill, random, () => this.#done()),
      at(outageAt, push, outageMs),
      at(blockAt, mail, blockMs),
    ]);
  }

  async #send(events: SoakPlan['events']): Promise<void> {
    const { service, random, plan } = this.#parts;
    const progress = { sent: 0, repeated: 0 };
    const perEvent = this.#planned / plan.events.length;
    const next = async (): Promise<void> => {
      const began = systemClock.monotonic();
      // What waits for a quarter of an hour keeps nothing else waiting.
      while (progress.sent * perEvent > this.#done() * this.#planned + ahead && !isLong(began)) await pause(20);
    };
    await sendStream(events, { url: service.server.url, fetch, random, progress, next });
  }

  /** Somebody who is gone is registered again soon after. */
  #reviveThoseWhoReturn(): void {
    const { plan, push, random } = this.#parts;
    const returning = new Map(
      plan.endpoints.filter(({ kind }) => kind === 'returning').map((each) => [each.name, each]),
    );
    const revive = async (endpoint: PlannedEndpoint): Promise<void> => {
      await pause(random.below(3000));
      push.tell({ kind: 'revive', endpoint: endpoint.name });
      await pause(300);
      await this.#api.register(endpoint);
    };
    push.onGone = (name) => {
      const endpoint = returning.get(name);
      if (endpoint === undefined) return;
      returning.delete(name);
      this.#revivals.push(revive(endpoint));
    };
  }

  /** Looks into the stopped service's store until nothing is under way; the service is up when it returns. */
  async #untilSettled(): Promise<void> {
    const { service, dataDir, say } = this.#parts;
    for (let look = 0; look < looksMax; look++) {
      await service.server.caughtUp();
      await pause(Math.min(lookAfterMs * 2 ** look, lookAfterMaxMs));
      await service.server.stop();
      const open = (await readStores(dataDir, this.#naming)).filter(({ state }) => !isSettled(state));
      await service.server.start();
      if (open.length === 0) return;
      const waitMs = Math.max(0, ...open.map(({ dueAtMs }) => (dueAtMs ?? 0) - systemClock.now()));
      say(`${open.length} deliveries still wait, the last for ${Math.round(waitMs / 1000)} s`);
      await pause(waitMs);
    }
  }
}

function isLong(beganMs: number): boolean {
  return systemClock.monotonic() - beganMs > 1000;
}

function deliveriesOf({ endpoints, events }: SoakPlan): number {
  const byUser = Map.groupBy(endpoints, ({ user }) => user);
  const of = (event: SoakPlan['events'][number]): number =>
    (byUser.get(userOf(event)) ?? []).filter(({ channel }) => channelsOf(event).includes(channel)).length;
  return events.reduce((sum, event) => sum + of(event), 0);
}
