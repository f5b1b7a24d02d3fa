/** `carillon user export|erase`: everything that a running service keeps of a person, to have or to be forgotten (S7). */
import { connect } from './running-service.ts';

export interface UserRequest {
  readonly what: 'export' | 'erase';
  readonly user: string;
  readonly url: string;
  /** A producer's key. */
  readonly token: string | undefined;
}

/** Lines to print. Throws an error whose message is for the reader. */
export async function runUser({ what, user, url, token }: UserRequest): Promise<string[]> {
  const service = await connect(url, token, { source: 'carillon-cli' });
  const path = `/v1/users/${encodeURIComponent(user)}`;
  if (what === 'export') return [JSON.stringify(await service.ask('GET', `${path}/export`), null, 2)];
  await service.ask('DELETE', path);
  return [
    `${user} is forgotten: facts, preferences, mutes and devices. Rows of the inbox stay until retention removes them.`,
  ];
}
