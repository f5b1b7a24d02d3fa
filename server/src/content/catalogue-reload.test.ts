import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { limits } from '../base/limits.ts';
import type { LogEvent } from '../base/log-events.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { CatalogueReload, catalogueStamp } from './catalogue-reload.ts';
import type { CatalogueSource } from './catalogue-source.ts';
import { LiveContent } from './live-content.ts';
import { TestCatalogue } from './test-catalogue.ts';

class Reloading {
  readonly app: TestCatalogue;
  readonly content: LiveContent;
  readonly lines: LogEvent[] = [];
  readonly elsewhere: CatalogueSource[] = [];
  readonly clock = new VirtualClock();
  readonly reload: CatalogueReload;
  #changes = 0;

  private constructor(app: TestCatalogue, stamp: string) {
    this.app = app;
    this.content = new LiveContent(this.app.read());
    this.reload = new CatalogueReload({
      settings: this.app.settings,
      stamp,
      content: this.content,
      clock: this.clock,
      log: { write: (event) => this.lines.push(event) },
      useElsewhere: async (source) => {
        this.elsewhere.push(source);
      },
    });
  }

  static async start(t: TestContext): Promise<Reloading> {
    const app = new TestCatalogue(t);
    app.write('types:\n  shop.sold: { category: shop, lane: social }\n');
    const world = new Reloading(app, await catalogueStamp(app.settings));
    t.after(() => world.reload.stop());
    return world;
  }

  /** Times of files are set: two changes within one tick of the file system's clock would look like none. */
  change(text: string): void {
    this.app.write(text);
    const time = 1_800_000_000 + ++this.#changes;
    utimesSync(join(this.app.folder, 'app.yaml'), time, time);
  }
}

test('a change is in use at the next look, in other threads first', async (t) => {
  const world = await Reloading.start(t);
  await world.reload.look();
  assert.equal(world.elsewhere.length, 0);

  world.change(
    'types:\n  shop.sold: { category: shop, lane: bulk }\n  shop.bought: { category: shop, lane: social }\n',
  );
  await world.reload.look();
  assert.equal(world.content.find('shop.sold')?.lane, 'bulk');
  assert.ok(world.content.find('shop.bought'));
  assert.equal(world.elsewhere[0]?.types.get('shop.sold')?.lane, 'bulk');
  assert.deepEqual(world.lines, ['catalogueTaken']);
});

test('it is looked by itself, on time', async (t) => {
  const world = await Reloading.start(t);
  world.change('types:\n  shop.bought: { category: shop, lane: social }\n');
  await world.clock.advance(limits.catalogueLookMs);
  await world.reload.stop();
  assert.ok(world.content.find('shop.bought'));
});

test('a bad file changes nothing and is told once; when it is right again it is taken', async (t) => {
  const world = await Reloading.start(t);
  const before = world.content.current;
  world.change('types:\n  shop.sold: { lane: fast }\n');
  await world.reload.look();
  await world.reload.look();
  assert.equal(world.content.current, before);
  assert.equal(world.elsewhere.length, 0);
  assert.deepEqual(world.lines, ['catalogueRefused', 'catalogueMistake']);

  world.change('types:\n  shop.sold: { category: shop, lane: direct }\n');
  await world.reload.look();
  assert.equal(world.content.find('shop.sold')?.lane, 'direct');
});

test('a type that is taken out stays until the next start', async (t) => {
  const world = await Reloading.start(t);
  world.change('types: {}\n');
  await world.reload.look();
  assert.equal(world.content.find('shop.sold')?.lane, 'social');
});

test('asked to, it takes the files whether they have changed or not', async (t) => {
  const world = await Reloading.start(t);
  await world.reload.take();
  assert.deepEqual(world.lines, ['catalogueTaken']);
});
