/** C6: what cannot be said in the right words is said in generic ones, on every channel, and counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MetricReading, readSnapshot, telemetry } from '../base/telemetry.ts';
import { builtInSource } from './catalogue-source.ts';
import { Content } from './content.ts';
import type { PushFacts } from './render-push.ts';

const content = new Content(builtInSource());

function facts(type: string): PushFacts {
  const object = { kind: 'post', id: 'p1', title: 'My trip', url: '/p/p1', image: null, parent: null };
  return { type, actors: [{ id: 'a1', name: 'Ana', avatar: null }], actorCount: 1, object, mentioned: false };
}

/** Facts that no text can be made of: as good as a fault in a text itself. */
function broken(type: string): PushFacts {
  return {
    ...facts(type),
    get actorCount(): number {
      throw new Error('a fault');
    },
  };
}

function counted(channel: string, cause: string): number {
  const all = readSnapshot(telemetry.snapshot()) as MetricReading[];
  const { series } = all.find(({ name }) => name === 'carillon_render_fallbacks_total') as MetricReading;
  return series.find(({ labels }) => labels.channel === channel && labels.cause === cause)?.values[0] ?? Number.NaN;
}

const channels = {
  inApp: (about: PushFacts) => content.describe(about, 'de').text.body,
  push: (about: PushFacts) => content.push(about, 'de', 'full').body,
  email: (about: PushFacts) => content.email(about, 'de', null).body,
};

for (const [channel, render] of Object.entries(channels)) {
  test(`${channel}: a type without words, or one that is gone, has generic ones`, () => {
    const before = counted(channel, 'noWords');
    assert.match(render(facts('shop.sold')), /^Neues von Ana/);
    assert.equal(counted(channel, 'noWords'), before + 1);
    assert.notEqual(render(facts('post.liked')), '');
    assert.equal(counted(channel, 'noWords'), before + 1);
  });

  test(`${channel}: where making the text fails, plain words stand in, and nothing is thrown`, () => {
    const before = counted(channel, 'failed');
    assert.equal(render(broken('post.liked')), 'Neue Benachrichtigung');
    assert.equal(counted(channel, 'failed'), before + 1);
  });
}

test('the version of the words changes with the words, and with nothing else', () => {
  const source = builtInSource();
  const other = new Content({ ...source, messages: { en: { types: { 'post.liked': { title: 'Hearts' } } } } });
  assert.equal(new Content(source).templateVersion, content.templateVersion);
  assert.notEqual(other.templateVersion, content.templateVersion);
  assert.match(content.templateVersion, /^[\w-]{12}$/);
});
