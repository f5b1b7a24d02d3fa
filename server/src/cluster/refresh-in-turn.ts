/**
 * Mends a fault of the Cassandra driver (NODEJS-681, in 4.10): when its control connection is lost twice in a row, two
 * refreshes run at once, one takes from the other the host it works with, and the process ends with a TypeError. Here they
 * run in turn. What asks for one while another runs is answered by one more afterwards, since it may have heard of
 * something that the first did not.
 */
import type { Client } from 'cassandra-driver';

interface ControlConnection {
  /** With `hosts` it is a part of the refresh under way, which calls itself. */
  _refresh(hosts?: unknown): Promise<void>;
}

export function refreshInTurn(client: Client): void {
  const control = (client as unknown as { controlConnection: ControlConnection }).controlConnection;
  const refresh = control._refresh.bind(control);
  let underway: Promise<void> | null = null;
  let isAskedAgain = false;
  const inTurn = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await refresh();
    } while (isAskedAgain);
  };
  control._refresh = (hosts) => {
    if (hosts !== undefined) return refresh(hosts);
    if (underway === null) {
      underway = inTurn().finally(() => {
        underway = null;
      });
    } else isAskedAgain = true;
    return underway;
  };
}
