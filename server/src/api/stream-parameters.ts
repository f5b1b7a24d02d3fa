/** A checked query as the gateway reads it, the same as from the URL of an upgrade. */
export function streamParameters(query: object): URLSearchParams {
  const named = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(named.map(([name, value]): [string, string] => [name, String(value)]));
}
