/**
 * Raw limits of an inbox page. PAGES=level: `node:http` that reads 100 rows of one person from LevelDB and sends them
 * joined, the limit of a cold page; PAGES=ready: the same pages kept in memory, the limit of any page.
 */
import http from 'node:http';
import path from 'node:path';
import { ClassicLevel } from 'classic-level';

const people = Number(process.env.PEOPLE ?? 1000);
const rowBytes = Number(process.env.ROW_BYTES ?? 700);
const rows = 100;
const db = new ClassicLevel<string, Buffer>(path.join(process.env.CARILLON_DATA ?? '.', 'probe'), {
  valueEncoding: 'buffer',
});
await db.open();
const isReady = process.env.PAGES === 'ready';
const pages = new Map<number, Buffer>();
const comma = Buffer.from(',');
for (let person = 0; person < people; person++) {
  const batch = db.batch();
  for (let row = 0; row < rows; row++) {
    const text = `{"id":"${person}-${row}","text":"${'carillon '.repeat(200)}`;
    batch.put(keyOf(person, row), Buffer.from(`${text.slice(0, rowBytes - 2)}"}`));
  }
  await batch.write();
}

const server = http.createServer(async (request, response) => {
  const person = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('person') ?? 0);
  const body = pages.get(person) ?? (await readPage(person));
  if (isReady) pages.set(person, body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));

async function readPage(person: number): Promise<Buffer> {
  const values = await db.values({ gte: keyOf(person, 0), lte: keyOf(person, rows) }).all();
  return Buffer.concat(values.flatMap((value) => [value, comma]));
}

function keyOf(person: number, row: number): string {
  return `i:${String(person).padStart(6, '0')}:${String(row).padStart(3, '0')}`;
}
