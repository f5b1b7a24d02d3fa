/** A running service, as commands ask it. Without a token it is asked for one, as development mode gives out. */
export interface RunningService {
  /** The answer, null where there is none. Throws an error whose message is for the reader. */
  ask(method: string, path: string, body?: string): Promise<unknown>;
}

export async function connect(url: string, token: string | undefined): Promise<RunningService> {
  const bearer = token ?? (await developmentToken(url));
  return {
    ask: (method, path, body) => ask(`${url}${path}`, { method, body, headers: { authorization: `Bearer ${bearer}` } }),
  };
}

async function developmentToken(url: string): Promise<string> {
  const asked = { method: 'POST', body: JSON.stringify({ role: 'admin' }), headers: {} };
  const { token } = (await ask(`${url}/v1/dev/token`, asked)) as { token: string };
  return token;
}

interface Asked {
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(url: string, { method, body, headers }: Asked): Promise<unknown> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = { method, headers: { ...json, ...headers }, ...(body !== undefined && { body }) };
  const answer = await fetch(url, sent).catch((error: Error) => {
    throw new Error(`${url} does not answer (${error.message}). Is the service running? --url says where.`);
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? null : JSON.parse(text);
  if (url.endsWith('/v1/dev/token'))
    throw new Error('Give an operator’s key with --token: this is no development service.');
  const { code = answer.status, detail = text } = JSON.parse(text) as { code?: string; detail?: string };
  throw new Error(`${code}: ${detail}`);
}
