/**
 * The HTML of mails is what mjml makes of the sources beside it. After a change of a source:
 * `CARILLON_WRITE_TEMPLATES=1 npm run test:judges -- templates`.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import mjml2html from 'mjml';
import { root } from '../../../scripts/setup.mjs';

const folder = join(root, 'server/src/deliver/email/templates');
const sources = globSync('*.mjml', { cwd: folder }).sort();

test('there is a template', () => assert.deepEqual(sources, ['mail.mjml']));

for (const source of sources) {
  test(`V20: ${source} is valid, and its HTML is what mjml makes of it`, async () => {
    const { html, errors } = await mjml2html(readFileSync(join(folder, source), 'utf8'), { validationLevel: 'strict' });
    assert.deepEqual(errors, []);
    const compiled = join(folder, `${basename(source, '.mjml')}.html`);
    const made = withoutIndents(html);
    if (process.env.CARILLON_WRITE_TEMPLATES) writeFileSync(compiled, made);
    assert.equal(readFileSync(compiled, 'utf8'), made);
  });
}

/** A mail is smaller without them, and reads the same. */
function withoutIndents(html: string): string {
  const lines = html.split('\n').map((line) => line.trim());
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
