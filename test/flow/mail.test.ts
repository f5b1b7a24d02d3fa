/** What a mail leads to: its links, and what comes back of it, through the whole service on real sockets (V21, V22). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { MailSink, type SunkMail } from './mail-sink.ts';
import { okay, Person } from './person.ts';
import { World } from './world.ts';

const key = 'the-key-of-the-mail-server';
const types = `types:
  app.news:
    category: news
    lane: direct
    fromApp: true
    email: immediate
messages:
  en:
    types:
      app.news:
        title: News
        body: "News: {title}"
`;
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let events = 0;
function event(type: string, user: string): Event {
  const id = `mail${++events}`;
  const object = { kind: 'news', id, owner: user, title: `Number ${events}` };
  return { id, source: 'posts', type, time: new Date().toISOString(), object, to: { user } };
}

describe('what a mail leads to', () => {
  let folder: string;
  let world: World;
  let sink: MailSink;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-mail-'));
    writeFileSync(join(folder, 'news.yaml'), types);
    sink = await MailSink.open();
    const webhooks = { mailKeyHash: createHash('sha256').update(key).digest('hex') };
    world = await World.start({ config: { content: { typeFiles: [folder] }, email: { ...sink.config, webhooks } } });
  });
  after(async () => {
    await world.close();
    await sink.close();
    rmSync(folder, { recursive: true });
  });

  const withAddress = async (user: string): Promise<string> => {
    const email = `${user}@people.test`;
    okay(await world.producer().ask('PUT', `/v1/users/${user}`, { email, emailVerified: true }));
    return email;
  };
  /** Sends a mail that tells of an event, and answers it. */
  const mailed = async (type: string, user: string): Promise<SunkMail> => {
    const address = `${user}@people.test`;
    const { length } = sink.to(address);
    await world.send([event(type, user)]);
    await eventually(async () => sink.to(address).length === length + 1);
    return sink.to(address).at(-1) as SunkMail;
  };
  /** Others get theirs, this person none. */
  const mailsNothing = async (type: string, user: string): Promise<void> => {
    const address = `${user}@people.test`;
    const { length } = sink.to(address);
    const before = await skipped();
    await world.send([event(type, user)]);
    await world.settled();
    await eventually(async () => (await skipped()) > before);
    assert.equal(sink.to(address).length, length);
  };
  /** Mails that were not sent, decided so at the event or just before they would have left. */
  const skipped = async (): Promise<number> => {
    const found = await world.metric('carillon_deliveries_total\\{.*suppressed.*\\}');
    return found.reduce((all, each) => all + each, 0);
  };
  const header = ({ whole }: SunkMail, name: string): string =>
    String(
      whole.headerLines
        .find((line) => line.key === name)
        ?.line.replace(/^[^:]*:\s*/, '')
        .replace(/\r?\n\s*/g, '') ?? '',
    );
  const linkOf = (mail: SunkMail): string =>
    /<https:\/\/notify\.app\.test(\/v1\/unsubscribe\/[\w-]+)>/.exec(header(mail, 'list-unsubscribe'))?.[1] ?? '';
  const call = (path: string, init: RequestInit = {}): Promise<Response> => fetch(world.origin + path, init);
  const choices = async (user: string): Promise<unknown> => {
    const person = await world.person(user);
    const { version: _, ...chosen } = okay<{ version: number }>(
      await person.ask('GET', '/v1/notification-preferences'),
    );
    return chosen;
  };
  const comesBack = async (text: string, as = key): Promise<{ status: number; kind?: string; why?: string }> => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'message/rfc822' };
    const answer = await call('/v1/webhooks/mail', { method: 'POST', headers, body: text });
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  const bounceOf = (mail: SunkMail, status: string, text: string): string =>
    [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.people.test',
      '',
      `Final-Recipient: rfc822; ${mail.to}`,
      'Action: failed',
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${text}`,
      '',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `X-Carillon-Reference: ${header(mail, 'x-carillon-reference')}`,
      '--b--',
      '',
    ].join('\r\n');

  test('BC-56: links of a mail that was sent: looked at often, clicked twice', async () => {
    await withAddress('ml1');
    const mail = await mailed('app.news', 'ml1');
    const link = linkOf(mail);
    assert.equal(header(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    assert.ok(mail.whole.text?.includes(link), 'the same link is in the mail');
    for (const method of ['HEAD', 'GET', 'GET', 'GET']) {
      assert.equal((await call(link, { method, headers: { 'user-agent': 'LinkScanner/2' } })).status, 200);
    }
    assert.deepEqual(await choices('ml1'), {});
    for (let times = 0; times < 2; times++) {
      const answer = await call(link, {
        method: 'POST',
        headers: form,
        body: 'List-Unsubscribe=One-Click',
        redirect: 'error',
      });
      assert.equal(answer.status, 200);
    }
    assert.deepEqual(await choices('ml1'), { categories: { news: { email: false } } });
    assert.match(await (await call(link)).text(), /no longer get these emails/);
    const changed = await call(link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'));
    assert.equal(changed.status, 400);
    assert.doesNotMatch(await changed.text(), /ml1/);
    const { length } = sink.to('ml1@people.test');
    await world.send([event('app.news', 'ml1')]);
    // Mail about the safety of the account is another list.
    await mailed('security.alert', 'ml1');
    assert.equal(sink.to('ml1@people.test').length, length + 1);
  });

  test('BC-57: what comes back counts by what it is: full, gone', async () => {
    for (const user of ['ml2', 'ml3']) await withAddress(user);
    const full = await mailed('app.news', 'ml2');
    for (let times = 0; times < 5; times++) {
      assert.equal((await comesBack(bounceOf(full, '5.2.2', '552 5.2.2 full'))).kind, 'bounce');
    }
    await mailed('app.news', 'ml2');
    const gone = await mailed('app.news', 'ml3');
    assert.equal((await comesBack(bounceOf(gone, '5.1.1', '550 5.1.1 unknown'))).kind, 'bounce');
    await mailsNothing('security.alert', 'ml3');
    const operator = new Person(world, operatorsKey);
    const held = okay<{ reason: string; by: string }>(
      await operator.ask('GET', '/v1/admin/suppressions/ml3%40people.test'),
    );
    assert.deepEqual([held.reason, held.by], ['hard', 'mail']);
    assert.equal((await operator.ask('DELETE', '/v1/admin/suppressions/ml3%40people.test')).status, 204);
    await mailed('security.alert', 'ml3');
  });

  test('BC-57: who complains hears only what is critical', async () => {
    await withAddress('ml4');
    const mail = await mailed('app.news', 'ml4');
    const complaint = bounceOf(mail, '5.0.0', 'x')
      .replace('delivery-status; boundary', 'feedback-report; boundary')
      .replace('message/delivery-status', 'message/feedback-report')
      .replace('Reporting-MTA: dns; mx.people.test', 'Feedback-Type: abuse');
    assert.equal((await comesBack(complaint)).kind, 'complaint');
    await mailsNothing('app.news', 'ml4');
    await mailed('security.alert', 'ml4');
  });

  test('S6: no address, link or text of a mail is logged', async () => {
    await withAddress('ml6');
    const mail = await mailed('app.news', 'ml6');
    await call(linkOf(mail), { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' });
    await comesBack(bounceOf(mail, '5.7.1', '550 5.7.1 <ml6@people.test> we do not like you'));
    const told = world.logged.filter(({ event }) => event === 'emailBlocked');
    assert.equal(told.length > 0, true);
    assert.doesNotMatch(JSON.stringify(world.logged), /people\.test|Number \d|[\w-]{60}/);
  });

  test('BC-59: an answer of somebody who is away changes nothing, and draws no mail', async () => {
    await withAddress('ml5');
    const mail = await mailed('app.news', 'ml5');
    assert.equal(header(mail, 'auto-submitted'), 'auto-generated');
    assert.equal(header(mail, 'x-auto-response-suppress'), 'All');
    assert.equal(header(mail, 'list-id'), '<news.app.test>');
    const { length } = sink.mails;
    const reply = `From: ml5@people.test\r\nTo: notify@app.test\r\nAuto-Submitted: auto-replied\r\nIn-Reply-To: ${mail.messageId}\r\nSubject: Away\r\n\r\nI am away.\r\n`;
    for (let times = 0; times < 3; times++) {
      assert.deepEqual(await comesBack(reply), { status: 200, kind: 'ignored', why: 'automatic' });
    }
    assert.equal((await comesBack(reply, 'another-key')).status, 403);
    await mailed('app.news', 'ml5');
    assert.equal(sink.mails.length, length + 1);
  });
});
