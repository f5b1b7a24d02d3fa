/**
 * What the page knows of one person's inbox: the loaded rows of one tab, the counts, the revision it has reached.
 *
 * Invariant: rows and counts are what the server said last; marks made here show at once and are taken back if the server
 * refuses. Frames that add up to something else than the loaded rows make the page load again instead of guessing.
 */

const pageRows = 20;
const reloadRowsMax = 100;
/** Rows that may pile up live before the lowest are let go; who pages further down keeps what was paged to. */
const liveRowsMax = 100;

/** Newest activity first, then id, as the server lists them. */
function compareItems(a, b) {
  if (a.activityAt !== b.activityAt) return Date.parse(b.activityAt) - Date.parse(a.activityAt);
  return a.id < b.id ? -1 : 1;
}

const belongsTo = {
  all: (state) => !state.archived && !state.snoozedUntil,
  unread: (state) => !state.archived && !state.snoozedUntil && !state.read,
  archived: (state) => state.archived,
};

/** Fires `change` with `detail.fresh`: ids of rows that came in live. */
export class InboxModel extends EventTarget {
  #api;
  #loadNumber = 0;
  #readThrough = null;
  #checkTimer = 0;
  /** Frames that came while a load was under way: the answer may be older than they are. */
  #framesDuringLoad = null;

  tab = 'all';
  /** `loading` | `ready` | `failed` */
  status = 'loading';
  error = null;
  /** @type {object[]} in list order */
  items = [];
  nextCursor = null;
  #rowsKept = liveRowsMax;
  /** The lowest rows were let go, and with them the place that `nextCursor` points to. */
  #cut = false;
  loadingMore = false;
  counts = { unread: 0, unseen: 0, capped: false };
  /** Where the stream resumes; null before anything is loaded. */
  revision = null;

  constructor(api) {
    super();
    this.#api = api;
  }

  /** Loads the tab from its top; what is shown stays until the answer is there, unless the tab is another one. */
  async load(tab = this.tab) {
    const loadNumber = ++this.#loadNumber;
    const limit = tab === this.tab ? Math.min(reloadRowsMax, Math.max(pageRows, this.items.length)) : pageRows;
    if (tab !== this.tab || this.status === 'failed') {
      this.items = [];
      this.status = 'loading';
    }
    this.tab = tab;
    this.#framesDuringLoad = [];
    this.#changed();
    try {
      const page = await this.#page(tab, limit, null);
      if (loadNumber !== this.#loadNumber) return;
      this.items = page.items;
      this.nextCursor = page.nextCursor;
      this.#rowsKept = liveRowsMax;
      this.#cut = false;
      this.counts = page.counts;
      this.revision = Math.max(this.revision ?? 0, page.counts.revision);
      this.status = 'ready';
      this.#replayFrames(page.counts.revision);
    } catch (error) {
      if (loadNumber !== this.#loadNumber) return;
      this.error = error;
      this.#framesDuringLoad = null;
      if (this.items.length === 0) this.status = 'failed';
    }
    this.#changed();
  }

  get hasMore() {
    return this.#cut || this.nextCursor !== null;
  }

  async loadMore() {
    if (this.loadingMore) return;
    if (this.#cut) await this.load();
    if (this.nextCursor === null) return;
    const loadNumber = this.#loadNumber;
    this.loadingMore = true;
    this.#changed();
    try {
      const page = await this.#page(this.tab, pageRows, this.nextCursor);
      if (loadNumber === this.#loadNumber) {
        this.#merge(page.items);
        this.nextCursor = page.nextCursor;
        this.#rowsKept = Math.max(liveRowsMax, this.items.length);
      }
    } finally {
      this.loadingMore = false;
      this.#changed();
    }
  }

  receive(frame) {
    this.#framesDuringLoad?.push(frame);
    switch (frame.kind) {
      case 'hello':
        // The revision stays: what was missed follows in frames of its own, or as `resync`.
        this.counts = frame.counts;
        if (this.status === 'failed') this.load();
        return this.#changed();
      case 'changes':
        return this.#receiveChanges(frame);
      case 'marks':
        return this.#receiveMarks(frame);
      case 'resync':
        this.revision = null;
        return this.load();
    }
  }

  /** `read` | `unread` | `archive` | `unarchive`. Shown at once; on failure everything is loaded again and the error thrown. */
  async mark(kind, ids) {
    const patch = { read: { read: true, seen: true }, unread: { read: false } }[kind] ?? {
      archived: kind === 'archive',
    };
    this.#patch(new Map(ids.map((id) => [id, patch])), true);
    await this.#postMarks(kind, { ids });
  }

  /** Everything up to what the page has: a row that arrives meanwhile stays unread. */
  async markAllRead() {
    const through = this.revision;
    this.#patch(new Map(this.items.map((item) => [item.id, { read: true, seen: true }])), true);
    await this.#postMarks('read', { through });
  }

  /** Tells the server that the list was looked at. */
  async markSeen() {
    if (this.counts.unseen === 0 || this.revision === null) return;
    const { counts } = await this.#api.request('POST', '/v1/notifications/seen', { through: this.revision });
    this.counts = counts;
    this.#changed();
  }

  why(id) {
    return this.#api.request('GET', `/v1/notifications/${encodeURIComponent(id)}/why`);
  }

  #page(tab, limit, cursor) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (tab !== 'all') query.set('state', tab);
    if (cursor !== null) query.set('cursor', cursor);
    return this.#api.request('GET', `/v1/notifications?${query}`);
  }

  async #postMarks(kind, body) {
    try {
      const { counts } = await this.#api.request('POST', `/v1/notifications/${kind}`, body);
      this.counts = counts;
      this.#changed();
    } catch (error) {
      await this.load();
      throw error;
    }
  }

  #receiveChanges(frame) {
    const known = new Set(this.items.map((item) => item.id));
    const changedIds = new Set([...frame.items.map((item) => item.id), ...frame.removed]);
    this.items = this.items.filter((item) => !changedIds.has(item.id));
    const fitting = frame.items.filter((item) => belongsTo[this.tab](item.state));
    this.#merge(fitting.filter((item) => this.#isWithinLoaded(item)));
    if (this.items.length > this.#rowsKept) {
      this.items.length = this.#rowsKept;
      this.#cut = true;
    }
    this.counts = frame.counts;
    this.revision = Math.max(this.revision ?? 0, frame.revision);
    const fresh = fitting.filter((item) => !known.has(item.id) && !item.state.read).map((item) => item.id);
    this.#changed(fresh);
    this.#checkSoon();
  }

  #receiveMarks(frame) {
    const boundaryMoved = this.#boundaryMoved(frame.readThrough);
    this.#readThrough = frame.readThrough;
    this.counts = frame.counts;
    this.#patch(new Map(frame.items.map(({ id, state }) => [id, state])), false);
    // Which rows a boundary covers is the server's to say: their own marks may differ.
    if (boundaryMoved) this.load();
    else this.#checkSoon();
  }

  /** The first frame has nothing to compare with: then the rows tell whether it brings anything new. */
  #boundaryMoved(readThrough) {
    if (this.#readThrough !== null) return readThrough !== this.#readThrough;
    return this.items.some((item) => !item.state.read && item.activityRevision <= readThrough);
  }

  #replayFrames(pageRevision) {
    const frames = this.#framesDuringLoad ?? [];
    this.#framesDuringLoad = null;
    for (const frame of frames) {
      if (frame.kind === 'changes' && frame.revision > pageRevision) this.#receiveChanges(frame);
      if (frame.kind === 'marks') this.#patch(new Map(frame.items.map(({ id, state }) => [id, state])), false);
    }
  }

  /** A row below the last loaded one will come with its own page. */
  #isWithinLoaded(item) {
    const last = this.items.at(-1);
    return !this.hasMore || last === undefined || compareItems(item, last) < 0;
  }

  #merge(items) {
    const byId = new Map(this.items.map((item) => [item.id, item]));
    for (const item of items) {
      const known = byId.get(item.id);
      if (known === undefined || known.revision <= item.revision) byId.set(item.id, item);
    }
    this.items = [...byId.values()].sort(compareItems);
  }

  /** New states by id. `guess`: made here, so the count follows by hand until the server's arrives. */
  #patch(states, guess) {
    const countsUnread = (items) => items.filter((item) => !item.state.read && !item.state.archived).length;
    const before = countsUnread(this.items);
    const patched = this.items.map((item) =>
      states.has(item.id) ? { ...item, state: { ...item.state, ...states.get(item.id) } } : item,
    );
    if (guess && !this.counts.capped) {
      this.counts = { ...this.counts, unread: Math.max(0, this.counts.unread + countsUnread(patched) - before) };
    }
    this.items = patched.filter((item) => belongsTo[this.tab](item.state));
    this.#changed();
  }

  /** Where all rows are loaded, their number must be the count. If not, a frame was missed: load again. */
  #checkSoon() {
    clearTimeout(this.#checkTimer);
    this.#checkTimer = setTimeout(() => {
      if (this.tab === 'archived' || this.status !== 'ready' || this.hasMore || this.counts.capped) return;
      const unread = this.items.filter((item) => !item.state.read).length;
      if (unread !== this.counts.unread) this.load();
    }, 500);
  }

  #changed(fresh = []) {
    this.dispatchEvent(new CustomEvent('change', { detail: { fresh } }));
  }
}
