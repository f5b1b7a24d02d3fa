/** Whether the keys of the configuration are those that the stored values need (S4): asked at each start, before anything else. */
import { type SecretBox, SecretUnreadable } from '../base/secret-box.ts';
import type { KeyRegister } from './key-register.ts';
import { indexName } from './resealing.ts';

/** Its message is for the operator. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys';
}

/** Rejects with WrongKeys. Keys that are new are noted. */
export async function checkKeys(box: SecretBox, register: KeyRegister): Promise<void> {
  const noted = await register.all();
  for (const [name, proof] of noted) {
    if (name === indexName ? proof !== indexProof(box) : !opens(box, name, proof)) throw wrong(name);
  }
  const current = box.current;
  const missing = new Map<string, string>();
  if (!noted.has(indexName)) missing.set(indexName, indexProof(box));
  if (!noted.has(current)) missing.set(current, box.seal(current, placeOf(current)));
  if (missing.size > 0) await register.add(missing);
}

function opens(box: SecretBox, name: string, proof: string): boolean {
  try {
    return box.open(proof, placeOf(name)) === name;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}

function placeOf(name: string) {
  return { purpose: 'keyProof', owner: name } as const;
}

function indexProof(box: SecretBox): string {
  return box.indexOf('keyProof', []);
}

function wrong(name: string): WrongKeys {
  const asked =
    name === indexName
      ? 'encryption.indexKey is not the one that stored values are found by. Configure that one; it can never be changed.'
      : `what is stored is encrypted by the key ${name}, which encryption.keys does not have, or has another one of that name. Add it behind the first.`;
  return new WrongKeys(asked);
}
