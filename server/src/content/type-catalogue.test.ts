import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveTypes } from './resolve-types.ts';
import { builtInTypes, type TypeEntry } from './type-catalogue.ts';
import type { TypeDeclaration } from './type-declaration.ts';

function entry(name: string): TypeEntry {
  const found = builtInTypes.find(name);
  assert.ok(found, name);
  return found;
}

test('all entries have one shape, so that reading them stays fast', () => {
  const shape = Object.keys(entry('post.liked'));
  for (const type of builtInTypes.types) assert.deepEqual(Object.keys(type), shape, type.name);
});

test('a type is found with and without its version, always the same object', () => {
  assert.equal(entry('post.liked'), entry('post.liked@1'));
  assert.equal(builtInTypes.find('post.liked@2'), undefined);
  assert.equal(builtInTypes.find('post.licked'), undefined);
});

test('names of other types are references to their entries', () => {
  const [mention, comment] = [entry('mention.created'), entry('comment.created')];
  assert.deepEqual(entry('user.unfollowed').undone, [entry('user.followed'), entry('follow.requested')]);
  assert.equal(comment.mention, mention);
  assert.equal(entry('comment.edited').mention, mention);
  assert.deepEqual(mention.mentionedIn, [comment]);
  assert.deepEqual(comment.companions, [mention]);
  assert.deepEqual(mention.companions.map(({ name }) => name).sort(), ['comment.created', 'reply.created']);
  assert.equal(mention.family, entry('reply.created').family);
});

test('what a declaration leaves open has the default of what it says', () => {
  const like = entry('post.liked');
  assert.deepEqual([like.notify, like.windowMs, like.collapse], ['trailing', 60_000, 'row']);
  assert.deepEqual(like.channels, { inApp: true, push: true, email: true });
  assert.equal(entry('reply.created').notify, 'immediate');
  assert.equal(entry('comment.created').emailAfterMs, 30 * 60_000);
  assert.equal(entry('message.sent').privacy, 'sender');
  assert.deepEqual(entry('post.unliked').channels, { inApp: false, push: false, email: false });
  assert.deepEqual(entry('post.published').channels, { inApp: true, push: false, email: true });
  const alert = entry('security.alert');
  assert.deepEqual([alert.critical, alert.pushAlways, alert.emailMode], [true, true, 'immediate']);
});

test('a reference to nothing is a fault', () => {
  const undo: TypeDeclaration = { category: 'a', lane: 'social', rule: 'undo', undoes: ['a.b'] };
  assert.throws(() => resolveTypes(new Map([['c.d', undo]])), /a\.b is not declared/);
});
