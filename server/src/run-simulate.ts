/**
 * `carillon simulate`: asks a running service what would happen if an event came now (D12). Without a token it takes one
 * as development mode gives out on the same machine.
 */
import { readFileSync } from 'node:fs';

export interface SimulateRequest {
  /** File with the event as JSON, or `-` for standard input. */
  readonly file: string;
  readonly url: string;
  readonly token: string | undefined;
  readonly isJson: boolean;
}

interface Simulated {
  readonly recipients: readonly {
    readonly user: string;
    readonly decisions: readonly { readonly channel: string; readonly kind: string; readonly text: string }[];
  }[];
}

/** Lines to print. Throws an error whose message is for the reader. */
export async function runSimulate({ file, url, token, isJson }: SimulateRequest): Promise<string[]> {
  const event = readFileSync(file === '-' ? 0 : file, 'utf8');
  const bearer = token ?? (await developmentToken(url));
  const answer = (await ask(`${url}/v1/admin/simulate`, event, { authorization: `Bearer ${bearer}` })) as Simulated;
  if (isJson) return [JSON.stringify(answer, null, 2)];
  return answer.recipients.flatMap(({ user, decisions }) => [
    user,
    ...decisions.map(({ channel, kind, text }) => `  ${channel.padEnd(6)} ${kind.padEnd(5)} ${text}`),
  ]);
}

async function developmentToken(url: string): Promise<string> {
  const { token } = (await ask(`${url}/v1/dev/token`, JSON.stringify({ role: 'admin' }), {})) as { token: string };
  return token;
}

async function ask(url: string, body: string, headers: Record<string, string>): Promise<unknown> {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  const answer = await fetch(url, sent).catch((error: Error) => {
    throw new Error(`${url} does not answer (${error.message}). Is the service running? --url says where.`);
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  if (url.endsWith('/v1/dev/token'))
    throw new Error('Give an operator’s key with --token: this is no development service.');
  const { code = answer.status, detail = text } = JSON.parse(text) as { code?: string; detail?: string };
  throw new Error(`${code}: ${detail}`);
}
