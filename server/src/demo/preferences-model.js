/**
 * What one person chose and muted, as the server has it (D2, D3).
 *
 * Invariant: one change at a time, each made to the version that was read last. If somebody else wrote meanwhile, what they
 * wrote is read and the change made to that: a change names one setting only, so it undoes nothing of theirs.
 */
const path = '/v1/notification-preferences';

/** Fires `change` when what the server has is known anew. */
export class PreferencesModel extends EventTarget {
  #api;
  #queue = Promise.resolve();
  #waiting = 0;

  /** The stored choices with `version` and `resolved`; null before the first load. */
  preferences = null;
  /** @type {{ kind: string, id: string, until: string | null }[]} */
  mutes = [];

  constructor(api) {
    super();
    this.#api = api;
  }

  load() {
    return this.#inTurn(() => this.#read());
  }

  /** `patch`: a merge patch (RFC 7396). */
  change(patch) {
    return this.#inTurn(async () => {
      if (this.preferences === null) await this.#read();
      try {
        await this.#patch(patch);
      } catch (error) {
        if (error.status !== 412) throw error;
        await this.#read();
        await this.#patch(patch);
      }
      await this.#read();
    });
  }

  mute(actorId) {
    return this.#inTurn(async () => {
      await this.#api.request('PUT', muteOf(actorId), {});
      await this.#read();
    });
  }

  unmute(actorId) {
    return this.#inTurn(async () => {
      await this.#api.request('DELETE', muteOf(actorId));
      await this.#read();
    });
  }

  isMuted(actorId) {
    return this.mutes.some((mute) => mute.kind === 'actor' && mute.id === actorId);
  }

  /** Told when nothing waits any more, or when something failed: a later change would be shown as taken back before that. */
  async #inTurn(work) {
    this.#waiting++;
    const mine = this.#queue.then(work).finally(() => {
      this.#waiting--;
    });
    this.#queue = mine.catch(() => {}); // the next one is not to fail because this one did
    try {
      await mine;
    } finally {
      if (this.#waiting === 0 && this.preferences !== null) this.dispatchEvent(new Event('change'));
    }
  }

  #patch(patch) {
    return this.#api.request('PATCH', path, patch, { 'if-match': `"${this.preferences.version}"` });
  }

  async #read() {
    const [preferences, mutes] = await Promise.all([
      this.#api.request('GET', `${path}?resolved=true`),
      this.#api.request('GET', '/v1/mutes'),
    ]);
    this.preferences = preferences;
    this.mutes = mutes.items;
  }
}

function muteOf(actorId) {
  return `/v1/mutes/actor/${encodeURIComponent(actorId)}`;
}
