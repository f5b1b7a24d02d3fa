/** The numbers of all series of one metric, as a scraper reads them. */
export async function readMetric(url: string, name: string): Promise<number[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map((match) => Number(match[1]));
}
