/** What every KeyRegister must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawKeys, SecretBox } from '../base/secret-box.ts';
import { checkKeys, WrongKeys } from './check-keys.ts';
import type { KeyRegister } from './key-register.ts';
import { Resealing } from './resealing.ts';

/** `open`: a fresh, empty register; `again`: the same after a restart. */
export function keyRegisterContract(
  name: string,
  open: () => Promise<{ register: KeyRegister; again: KeyRegister }>,
): void {
  describe(`KeyRegister: ${name}`, () => {
    test('what is added stays as it was first, until it is removed', async () => {
      const { register, again } = await open();
      assert.deepEqual(await register.all(), new Map());
      await register.add(new Map([['a', '1'], ['b', '2']])); // biome-ignore format: two pairs
      await register.add(new Map([['b', 'other'], ['.c', '3']])); // biome-ignore format: two pairs
      assert.deepEqual(new Map([...(await again.all())].sort()), new Map([['.c', '3'], ['a', '1'], ['b', '2']])); // biome-ignore format: pairs
      await register.remove(['a', 'none']);
      assert.deepEqual([...(await again.all()).keys()].sort(), ['.c', 'b']);
    });

    test('only the keys that stored values need start, until a rotation has made one needless (S4)', async () => {
      const { register, again } = await open();
      const old = drawKeys('old');
      await checkKeys(new SecretBox(old), register);
      await checkKeys(new SecretBox(old), again);
      const refused = (keys: typeof old, words: RegExp) =>
        assert.rejects(checkKeys(new SecretBox(keys), again), (error: unknown) => {
          return error instanceof WrongKeys && words.test(error.message);
        });
      const fresh = drawKeys('new');
      await refused({ ...fresh, index: old.index }, /the key old/);
      await refused({ ...drawKeys('old'), index: old.index }, /the key old/);
      await refused({ ...old, index: fresh.index }, /indexKey/);
      const both = new SecretBox({ masters: [...fresh.masters, ...old.masters], index: old.index });
      await checkKeys(both, again);
      await refused({ ...fresh, index: old.index }, /the key old/);
      const rotation = new Resealing([], again, both.current);
      assert.deepEqual(await rotation.finish(), ['old']);
      await checkKeys(new SecretBox({ ...fresh, index: old.index }), register);
      await refused(old, /the key new/);
    });
  });
}
