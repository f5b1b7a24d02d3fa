import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservedSchemes } from '../base/reserved-schemes.ts';
import { linkRule, safeLink } from './safe-link.ts';

test('paths of the app, https and this machine are links', () => {
  const links = [
    '/p/p1',
    '/',
    '/p?x=//y',
    'https://app.example/a1.png',
    'HTTPS://app.example',
    'http://localhost:80/a',
  ];
  for (const url of links) assert.equal(safeLink(url), url);
});

test('everything else is none', () => {
  const others = [
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    'http://localhost.evil.example/',
    'http://app.example/',
    'https://app@evil.example/',
    'https:///x',
    'data:text/html,x',
    ' /p/p1',
    '',
    'p1',
  ];
  for (const url of others) assert.equal(safeLink(url), null, url);
  assert.equal(safeLink(null), null);
});

test('schemes that the app declares are links too, and no others', () => {
  const link = linkRule(['myapp', 'com.example+x']);
  for (const url of ['myapp://post/p1', 'MyApp://post', 'com.example+x://a', '/p/p1', 'https://app.example']) {
    assert.equal(link(url), url);
  }
  const others = [
    'myapp:post',
    'myapp:///x',
    'myapps://x',
    'comXexample+x://a',
    'my app://x',
    'myapp://a b',
    'javascript://x',
  ];
  for (const url of others) assert.equal(link(url), null, url);
  for (const scheme of reservedSchemes) {
    if (scheme !== 'https') assert.equal(safeLink(`${scheme}://x`), null, scheme);
  }
});
