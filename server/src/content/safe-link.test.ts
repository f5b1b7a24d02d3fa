import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeLink } from './safe-link.ts';

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
