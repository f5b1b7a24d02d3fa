/** Requests to the public API, as any client would send them, with development tokens for one user or one source. */

export class ApiError extends Error {
  /** `status` is 0 when no answer came. */
  constructor(status, problem, retryAfterMs) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? null;
    /** What is wrong with which part of the request. */
    this.faults = problem.errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get temporary() {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

const sendAttemptsMax = 5;
const backoffFirstMs = 200;
const backoffMaxMs = 8000;

/** Any time up to a bound that doubles with each attempt (full jitter): clients that failed together return apart. */
export function backoffMs(attempt, firstMs = backoffFirstMs, maxMs = backoffMaxMs) {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** attempt);
}

/** `identity` is `{ user }`, `{ source }` or `{ role }`. */
export function createApi(identity) {
  let pending = null;

  /** @returns {Promise<string>} the token, fetched once and again when `renew` is set */
  function token(renew = false) {
    if (pending === null || renew) {
      pending = fetchJson('/v1/dev/token', { method: 'POST', ...jsonBody(identity) }).then((answer) => answer.token);
      pending.catch(() => {
        pending = null;
      });
    }
    return pending;
  }

  /** The parsed answer. Throws ApiError. A refused token is renewed once. */
  async function request(method, path, body, headers = {}) {
    const { headers: type, ...init } = { method, ...(body === undefined ? {} : jsonBody(body)) };
    const attempt = async (renewed) => {
      const authorization = `Bearer ${await token(renewed)}`;
      return fetchJson(path, { ...init, headers: { ...type, ...headers, authorization } });
    };
    try {
      return await attempt(false);
    } catch (error) {
      if (error.status === 401) return attempt(true);
      throw error;
    }
  }

  /** Sends events until they are taken; what is repeated carries the same ids, which is safe. Answers their results. */
  async function send(events, signal) {
    for (let attempt = 0; ; attempt++) {
      try {
        return (await request('POST', '/v1/events', events)).results;
      } catch (error) {
        if (!error.temporary || attempt >= sendAttemptsMax || signal?.aborted) throw error;
        await pause(error.retryAfterMs ?? backoffMs(attempt), signal);
      }
    }
  }

  return { token, request, send };
}

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function pause(delayMs, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function jsonBody(body) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function fetchJson(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ApiError(0, { detail: 'The server cannot be reached.' });
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiError(response.status, body, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}
