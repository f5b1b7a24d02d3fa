/**
 * `carillon simulate`: asks a running service what would happen if an event came now (D12). Without a token it takes one
 * as development mode gives out on the same machine.
 */
import { readFileSync } from 'node:fs';
import { connect } from './running-service.ts';

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
  const service = await connect(url, token);
  const answer = (await service.ask('POST', '/v1/admin/simulate', event)) as Simulated;
  if (isJson) return [JSON.stringify(answer, null, 2)];
  return answer.recipients.flatMap(({ user, decisions }) => [
    user,
    ...decisions.map(({ channel, kind, text }) => `  ${channel.padEnd(6)} ${kind.padEnd(5)} ${text}`),
  ]);
}
