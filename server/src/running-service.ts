/** A running service, as commands ask it. Without a token it is asked for one, as development mode gives out. */
export interface RunningService {
  /** The answer, null where there is none. Throws an error whose message is for the reader. */
  ask(method: string, path: string, body?: string): Promise<unknown>;
  /** The same of an answer that comes by and by. */
  open(method: string, path: string, body?: string): Promise<Response>;
}

/** As whom development mode gives a token: an operator unless given. */
export type DevelopmentCaller = { readonly role: 'admin' } | { readonly source: string } | { readonly user: string };

export async function connect(
  url: string,
  token: string | undefined,
  caller: DevelopmentCaller = { role: 'admin' },
): Promise<RunningService> {
  const headers = { authorization: `Bearer ${token ?? (await developmentToken(url, caller))}` };
  const open: RunningService['open'] = (method, path, body) => request(`${url}${path}`, { method, body, headers });
  return {
    open,
    async ask(method, path, body) {
      const text = await (await open(method, path, body)).text();
      return text === '' ? null : JSON.parse(text);
    },
  };
}

async function developmentToken(url: string, caller: DevelopmentCaller): Promise<string> {
  const asked = { method: 'POST', body: JSON.stringify(caller), headers: {} };
  const answer = await request(`${url}/v1/dev/token`, asked);
  return ((await answer.json()) as { token: string }).token;
}

interface Asked {
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

async function request(url: string, { method, body, headers }: Asked): Promise<Response> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = { method, headers: { ...json, ...headers }, ...(body !== undefined && { body }) };
  const answer = await fetch(url, sent).catch((error: Error) => {
    throw new Error(`${url} does not answer (${error.message}). Is the service running? --url says where.`);
  });
  if (answer.ok) return answer;
  if (url.endsWith('/v1/dev/token')) throw new Error('Give a key with --token: this is no development service.');
  const text = await answer.text();
  const { code = answer.status, detail = text } = JSON.parse(text) as { code?: string; detail?: string };
  throw new Error(`${code}: ${detail}`);
}
