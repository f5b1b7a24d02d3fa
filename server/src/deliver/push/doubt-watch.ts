/**
 * Some answers about a device may as well be our own fault: a token that fits no device may be one of the other environment,
 * and a signature that is refused may be of a key we lost. One alone says something of the device; many at once say
 * something of us (BC-47). So such an answer waits for those of others: it holds if few are like it, turns into `blocked` if
 * many are, and where there is nothing to compare it with after a while, only that one push is `refused`.
 */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Outcome } from '../outcome.ts';

interface Project {
  /** By minute, oldest first. */
  readonly minutes: Map<number, { answers: number; doubtful: number }>;
  readonly waiting: Set<(outcome: Outcome | null) => void>;
}

type Verdict = 'theirs' | 'ours' | 'open';

const minuteMs = 60_000;

export class DoubtWatch {
  readonly #clock: Clock;
  readonly #projects = new Map<string, Project>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An answer that says nothing against anybody. */
  note(project: string): void {
    const { waiting } = this.#count(project, 0);
    if (waiting.size > 0 && this.#verdict(project) === 'theirs') settleAll(waiting, null);
  }

  /** What a doubtful outcome comes to. */
  judge(project: string, outcome: Outcome & { readonly code: string }): Outcome | Promise<Outcome> {
    const { waiting } = this.#count(project, 1);
    const verdict = this.#verdict(project);
    if (verdict === 'theirs') return outcome;
    const blocked: Outcome = { kind: 'blocked', code: outcome.code };
    if (verdict === 'ours') {
      settleAll(waiting, blocked);
      return blocked;
    }
    return new Promise((resolve) => {
      const settle = (decided: Outcome | null): void => {
        cancel();
        waiting.delete(settle);
        resolve(decided ?? outcome);
      };
      const cancel = this.#clock.after(limits.doubtfulWaitMs, () => settle({ kind: 'refused', code: outcome.code }));
      waiting.add(settle);
    });
  }

  #count(name: string, doubtful: 0 | 1): Project {
    let project = this.#projects.get(name);
    if (project === undefined) {
      project = { minutes: new Map(), waiting: new Set() };
      this.#projects.set(name, project);
      this.#forgetOldest();
    }
    const minute = Math.floor(this.#clock.monotonic() / minuteMs);
    const counted = project.minutes.get(minute);
    if (counted === undefined) {
      project.minutes.set(minute, { answers: 1, doubtful });
      for (const old of project.minutes.keys()) {
        if (old <= minute - limits.doubtfulWindowMs / minuteMs) project.minutes.delete(old);
      }
    } else {
      counted.answers++;
      counted.doubtful += doubtful;
    }
    return project;
  }

  #verdict(name: string): Verdict {
    let answers = 0;
    let doubtful = 0;
    for (const counted of this.#projects.get(name)?.minutes.values() ?? []) {
      answers += counted.answers;
      doubtful += counted.doubtful;
    }
    if (doubtful <= answers * limits.doubtfulShareMax) return 'theirs';
    return doubtful >= limits.doubtfulMin ? 'ours' : 'open';
  }

  /** Anybody can name an origin, so there may be many. */
  #forgetOldest(): void {
    if (this.#projects.size <= limits.webPushOriginsMax) return;
    const oldest = this.#projects.keys().next().value;
    if (oldest !== undefined) this.#projects.delete(oldest);
  }
}

function settleAll(waiting: Project['waiting'], outcome: Outcome | null): void {
  for (const settle of [...waiting]) settle(outcome);
}
