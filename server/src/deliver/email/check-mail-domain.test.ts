import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMailDomain, type MailDomain } from './check-mail-domain.ts';

const domain: MailDomain = {
  from: 'app.example',
  returnPath: 'bounce.app.example',
  dkim: { domain: 'app.example', selector: 's1' },
};
const good: Record<string, string[]> = {
  'bounce.app.example': ['something else', 'v=spf1 include:_spf.mail.example -all'],
  's1._domainkey.app.example': ['v=DKIM1; k=rsa; p=MIIB'],
  '_dmarc.app.example': ['v=DMARC1; p=reject; rua=mailto:a@app.example'],
};
const check = (given: Record<string, string[]>, more: Partial<MailDomain> = {}) =>
  checkMailDomain({ ...domain, ...more }, async (name) => given[name] ?? []);
const bad = async (given: Record<string, string[]>, more: Partial<MailDomain> = {}) =>
  (await check(given, more)).filter(({ isGood }) => !isGood).map(({ what }) => what);

test('a domain that has all is good', async () => {
  const found = await check(good);
  assert.deepEqual(
    found.map(({ what, isGood }) => [what, isGood]),
    [
      ['SPF of bounce.app.example', true],
      ['DKIM key s1 of app.example', true],
      ['DMARC of app.example', true],
      ['DMARC alignment', true],
    ],
  );
});

test('what is missing or wrong is said', async () => {
  assert.equal((await bad({})).length, 3);
  const spf = (...records: string[]) => bad({ ...good, 'bounce.app.example': records });
  assert.deepEqual(await spf('v=spf1 -all', 'v=spf1 +all'), ['SPF of bounce.app.example']);
  assert.deepEqual(await spf('v=spf1 +all'), ['SPF of bounce.app.example']);
  assert.deepEqual(await bad({ ...good, 's1._domainkey.app.example': ['v=DKIM1; p='] }), [
    'DKIM key s1 of app.example',
  ]);
  assert.deepEqual(await bad({ ...good, '_dmarc.app.example': ['v=DMARC1;'] }), ['DMARC of app.example']);
  const dkim = { domain: 'other.example', selector: 's1' };
  const key = { 's1._domainkey.other.example': ['p=x'] };
  assert.deepEqual(await bad({ ...good, ...key }, { dkim }), ['DMARC alignment']);
  assert.deepEqual(await bad(good, { dkim: null }), []);
});

test('where nobody answers, that is said', async () => {
  const found = await checkMailDomain(domain, () => Promise.reject(new Error('timeout')));
  assert.equal(found.filter(({ text }) => text.includes('cannot be looked up')).length, 3);
});
