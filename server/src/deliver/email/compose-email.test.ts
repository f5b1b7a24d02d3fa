import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { personKey } from '../../base/ids.ts';
import { builtInSource } from '../../content/catalogue-source.ts';
import { Content } from '../../content/content.ts';
import { type ComposerOptions, composeEmail, type Letter } from './compose-email.ts';
import { mimeOf } from './email-mime.ts';
import type { EmailMessage } from './email-provider.ts';
import { EmailSecrets } from './email-secrets.ts';

const content = new Content(builtInSource());
const secrets = new EmailSecrets('s'.repeat(32));
const options: ComposerOptions = {
  from: { name: 'Trips', address: 'notify@app.example' },
  senderName: 'Trips',
  postalAddress: '1 Main Street, Springfield',
  publicUrl: 'https://notify.app.example/',
  secrets,
};
const to = { person: personKey('default', 'r1'), address: 'bo@people.example', delivery: 'd_1' };

interface Words {
  readonly name?: string;
  readonly title?: string;
  readonly url?: string;
}

function words({ name = 'Ana', title = 'My trip', url = '/p/p1' }: Words = {}, locale = 'en', type = 'post.liked') {
  const object = { kind: 'post', id: 'p1', title, url, parent: null };
  const facts = { type, actors: [{ id: 'a1', name }], actorCount: 1, object, mentioned: false };
  return content.email(facts, locale, 'https://app.example');
}

function letter(more: Partial<Extract<Letter, { kind: 'notification' }>> = {}): Letter {
  const about = { type: 'post.liked', category: 'reactions', isCritical: false, thread: 'g1' };
  return { kind: 'notification', text: words(), ...about, ...more };
}

function digest(count: number, locale = 'en'): Letter {
  const entries = Array.from({ length: count }, (_, at) => words({ title: `Trip ${at}` }, locale));
  return { kind: 'digest', frame: content.digest(count, locale, 'https://app.example'), entries };
}

const compose = (given: Letter): EmailMessage => composeEmail(given, to, options);
const parse = async (mail: EmailMessage) => simpleParser(mimeOf(mail, new Date(0)));

test('V20, V21, BC-59: a notification has what receivers ask of automatic mail', () => {
  const { headers, messageId, subject, text } = compose(letter());
  const unsubscribe = headers['List-Unsubscribe'] ?? '';
  assert.match(unsubscribe, /^<https:\/\/notify\.app\.example\/v1\/unsubscribe\/[A-Za-z0-9_-]+>$/);
  assert.deepEqual(
    { ...headers, 'List-Unsubscribe': '', 'X-Carillon-Reference': '', References: '', 'In-Reply-To': '' },
    {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': 'en',
      'X-Carillon-Reference': '',
      'In-Reply-To': '',
      References: '',
      'List-Id': '<reactions.app.example>',
      'Feedback-ID': 'post-liked:reactions:email:app-example',
      'List-Unsubscribe': '',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  );
  assert.match(messageId, /^<[A-Za-z0-9_-]{22}@app\.example>$/);
  assert.equal(subject, 'Ana liked your post “My trip”');
  assert.match(
    text,
    /^Ana liked your post “My trip”\n\nOpen: https:\/\/app\.example\/p\/p1\n\n-- \nNotification settings: https/,
  );
  assert.match(text, /Unsubscribe: https:.*\nTrips\n1 Main Street, Springfield\n$/);
});

test('V20: the same delivery is the same mail, another one is another', () => {
  assert.deepEqual(compose(letter()), compose(letter()));
  const other = composeEmail(letter(), { ...to, delivery: 'd_2' }, options);
  assert.notEqual(other.messageId, compose(letter()).messageId);
});

test('V20: mails about one group are one thread, to one person', () => {
  const thread = (given: Letter, person = to.person) =>
    composeEmail(given, { ...to, person }, options).headers.References;
  assert.equal(thread(letter()), thread(letter({ text: words({ name: 'Bo' }) })));
  assert.notEqual(thread(letter()), thread(letter({ thread: 'g2' })));
  assert.notEqual(thread(letter()), thread(letter(), personKey('default', 'r2')));
  assert.equal(thread(digest(2)), undefined);
});

test('V21: what is critical cannot be unsubscribed from, and is no list', () => {
  const { headers, text, html } = compose(letter({ isCritical: true, type: 'security.alert', category: 'security' }));
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('List-')),
    [],
  );
  assert.doesNotMatch(text + html, /unsubscribe/i);
  assert.match(text, /Notification settings: https/);
});

test('V21: a link to unsubscribe names the category; of a digest, everything', () => {
  const scopeOf = (given: Letter): readonly string[] | null => {
    const token = /unsubscribe\/([\w-]+)/.exec(compose(given).headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
    return secrets.open('unsubscribe', token);
  };
  assert.deepEqual(scopeOf(letter()), ['default', 'r1', 'reactions']);
  assert.deepEqual(scopeOf(digest(2)), ['default', 'r1', '*']);
});

test('without an address of the service there are no links to it', () => {
  const { headers, text, html } = composeEmail(letter(), to, { ...options, publicUrl: null });
  assert.equal(headers['List-Unsubscribe'], undefined);
  assert.doesNotMatch(text + html, /\/v1\//);
});

test('V22: a mail carries whom it was sent to, for when it comes back', () => {
  const token = compose(letter()).headers['X-Carillon-Reference'] ?? '';
  assert.deepEqual(secrets.open('reference', token), ['default', 'bo@people.example']);
});

test('V23: a digest lists what it tells of, up to a bound', async () => {
  const mail = await parse(compose(digest(25)));
  assert.equal(mail.subject, '25 new notifications');
  assert.equal(mail.text?.match(/^\* /gm)?.length, 20);
  assert.equal(
    String(mail.html)
      .match(/My trip|Trip \d+/g)
      ?.filter((each) => each.startsWith('Trip')).length,
    21,
  );
  assert.match(String(mail.html), /<a\s+href="https:\/\/app\.example\/"/);
});

test('C2: a mail reads in the direction of its language', async () => {
  for (const locale of ['ar', 'he', 'fa']) {
    const html = compose(letter({ text: words({}, locale) })).html;
    assert.match(html, new RegExp(`<html lang="${locale}" dir="rtl"`));
    assert.doesNotMatch(html, /text-align:left|align="left"|direction:ltr/);
  }
  assert.doesNotMatch(compose(letter()).html, /rtl|right"/);
});

test('C4: links that are not safe are left out', () => {
  const evil = { ...words(), url: 'javascript:alert(1)' };
  assert.doesNotMatch(compose(letter({ text: evil })).html, /javascript/);
  const given = digest(1) as Extract<Letter, { kind: 'digest' }>;
  const mail = compose({ ...given, entries: [evil], frame: { ...given.frame, url: '//evil.example' } });
  assert.doesNotMatch(mail.html + mail.text, /javascript|evil/);
});

test('C4: whatever the texts, a mail has exactly its own headers, one recipient and its own parts', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
    fc.constantFrom(
      'a\r\nBcc: x@evil.example',
      '\r\n\r\n<script>',
      '=?utf-8?q?=0d=0aBcc:_x?=',
      '"><img src=x onerror=y>',
    ),
  );
  const names = Object.keys(compose(letter()).headers).map((name) => name.toLowerCase());
  const own = ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type'];
  await fc.assert(
    fc.asyncProperty(text, text, text, async (one, two, three) => {
      const given = letter({ text: words({ name: one, title: two }), type: three, category: one, thread: two });
      const mail = await parse(compose(given));
      assert.deepEqual([...mail.headers.keys()].filter((name) => name !== 'list').sort(), [
        ...[...names.filter((name) => !name.startsWith('list-')), ...own].sort(),
      ]);
      assert.deepEqual(
        [mail.to].flat().map((each) => each?.text),
        ['bo@people.example'],
      );
      assert.equal(mail.attachments.length, 0);
      assert.doesNotMatch(String(mail.html), /<script|<img/i);
    }),
    { numRuns: 200 },
  );
});

test('C4: subjects and names arrive as they are, also where they look like encoded words', async () => {
  const looks = [
    'plain',
    'Grüße aus 東京 🎉',
    '=?utf-8?q?=0d=0aBcc:_x?=',
    'a "b" \\ c',
    `long ${'wörd '.repeat(30)}end`,
  ];
  for (const text of looks) {
    const given = composeEmail(letter(), to, {
      ...options,
      from: { name: text.trim(), address: 'notify@app.example' },
    });
    const mail = await simpleParser(mimeOf({ ...given, subject: text }, new Date(0)));
    assert.equal(mail.subject, text);
    assert.equal(mail.from?.value[0]?.name, text);
    assert.equal(mail.from?.value[0]?.address, 'notify@app.example');
  }
});

test('a name in a header is one, whatever it is', () => {
  for (const [category, id] of [
    ['Reaktionen & mehr', 'reaktionen-mehr'],
    ['', 'other'],
    ['äöü', 'other'],
    ['x'.repeat(99), 'x'.repeat(63)],
  ] as const) {
    assert.equal(compose(letter({ category })).headers['List-Id'], `<${id}.app.example>`);
  }
});
