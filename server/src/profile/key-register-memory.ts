/** Which keys are needed, in memory, for tests. */
import type { KeyRegister } from './key-register.ts';

export class KeyRegisterMemory implements KeyRegister {
  readonly #proofs = new Map<string, string>();

  async all(): Promise<ReadonlyMap<string, string>> {
    return new Map(this.#proofs);
  }

  async add(proofs: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, proof] of proofs) if (!this.#proofs.has(name)) this.#proofs.set(name, proof);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) this.#proofs.delete(name);
  }
}
