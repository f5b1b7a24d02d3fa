/**
 * One long poll: a connection that ends with its first frame. The answer is one frame as JSON:
 *
 * - without `since`: `hello`, at once; its revision is where the next poll goes on;
 * - `changes` or `resync` from the catch-up, at once; of several the first, since the next poll finds the rest;
 * - the catch-up's `marks`, at once, when they are not those that the client says it has (`marksVersion`);
 * - else the first frame that comes live, `changes` or `marks`;
 * - else, when the wait is over, the catch-up's `marks` if it had any, or an empty `changes` frame with the unchanged
 *   revision and the present counts.
 *
 * Nothing is lost between two polls, because the next one catches up from the revision this one gave.
 */
import type { Counts } from '@carillon/contract/notification.ts';
import type { ChangesFrame } from '@carillon/contract/stream.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import type { Revision } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';
import type { Connection } from './connection.ts';
import type { Bye, OutFrame, Transport } from './transport.ts';

export class PollTransport implements Transport {
  readonly kind = 'poll';
  /** One frame's JSON. Rejects with CARILLON_AUTH_INVALID, _AUTH_FORBIDDEN, _DRAINING or _OVERLOADED. */
  readonly answer: Promise<Buffer>;
  connection: Connection | null = null;
  readonly #since: Revision | null;
  readonly #marksVersion: number | null;
  readonly #resolve: (json: Buffer) => void;
  readonly #reject: (error: CarillonError) => void;
  #quietAnswer: Buffer | null = null;

  /** `marksVersion`: of the marks that the client has; null if it does not say. */
  constructor(since: Revision | null, marksVersion: number | null = null) {
    this.#since = since;
    this.#marksVersion = marksVersion;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  open(frames: readonly OutFrame[]): void {
    const [hello, ...missed] = frames;
    if (hello === undefined) return;
    const isNews = ({ kind }: OutFrame): boolean => kind !== 'marks' || !this.#hasMarks(hello);
    const news = this.#since === null ? hello : missed.find(isNews);
    if (news !== undefined) this.send(news);
    else this.#quietAnswer = missed[0]?.json ?? emptyChanges(hello, this.#since ?? 0);
  }

  send(frame: OutFrame): void {
    this.#resolve(frame.json);
    this.connection?.ended();
  }

  /** The wait is over. */
  expire(): void {
    if (this.#quietAnswer !== null) {
      this.#resolve(this.#quietAnswer);
      this.connection?.ended();
    } else {
      // Not even the catch-up was read in all this time.
      this.#fail(
        new CarillonError('CARILLON_OVERLOADED', 'The inbox could not be read in time.', { retryAfterSeconds: 1 }),
      );
    }
  }

  /** Nobody waits for the answer any more: the person is not there. */
  gone(): void {
    this.#resolve(this.#quietAnswer ?? Buffer.alloc(0));
    this.connection?.ended();
  }

  /** It lasts hardly longer than one heartbeat, so it needs none. */
  ping(): void {
    this.connection?.heard();
  }

  bufferedBytes(): number {
    return 0;
  }

  close(bye: Bye): void {
    this.#fail(errorOf(bye));
  }

  terminate(): void {
    this.#fail(new CarillonError('CARILLON_DRAINING', 'The service is stopping.', { retryAfterSeconds: 1 }));
  }

  #hasMarks(hello: OutFrame): boolean {
    return this.#marksVersion === null || this.#marksVersion === countsOf(hello).marksVersion;
  }

  #fail(error: CarillonError): void {
    this.#reject(error);
    this.connection?.ended();
  }
}

function emptyChanges(hello: OutFrame, since: Revision): Buffer {
  // The client's own position: the hello's may be ahead of it by changes that show nothing, and must never fall behind.
  const frame: ChangesFrame = { kind: 'changes', items: [], removed: [], counts: countsOf(hello), revision: since };
  return Buffer.from(JSON.stringify(frame));
}

function countsOf(hello: OutFrame): Counts {
  return (JSON.parse(hello.json.toString('utf8')) as Catchup['hello']).counts;
}

function errorOf(bye: Bye): CarillonError {
  if (bye.code >= 4100 && bye.code < 4200)
    return new CarillonError('CARILLON_AUTH_INVALID', 'The token is not valid any more.');
  if (bye.code >= 4200) return new CarillonError('CARILLON_AUTH_FORBIDDEN', 'This person has too many streams.');
  const retryAfterSeconds = (bye.retryAfterMs ?? 1000) / 1000;
  return bye.code === 4000
    ? new CarillonError('CARILLON_DRAINING', 'The service is stopping.', { retryAfterSeconds })
    : new CarillonError('CARILLON_OVERLOADED', 'The stream cannot be served now.', { retryAfterSeconds });
}
