/** The inbox as it is seen: bell, connection, tabs, list with its states, "n new" pill, undo. Redrawn at most once a frame. */
import { announce, el, number } from './dom.js';
import { attachInboxKeys } from './inbox-keys.js';
import { inboxRow } from './inbox-row.js';
import { drawListState } from './list-state.js';
import { rememberName } from './people-names.js';

const tabNames = ['all', 'unread', 'archived'];
const stateTexts = { connecting: 'Connecting…', live: 'Live', offline: 'Offline', stopped: 'Not allowed' };
/** Scrolled this far, a reader is not thrown to the top by news: a pill says that there is some. */
const scrolledPx = 60;
const undoShownMs = 6000;
const tickMs = 20_000;

export class InboxView {
  #model;
  #preferences;
  #abort = new AbortController();
  #rows = new Map();
  #fresh = new Set();
  #drawAsked = false;
  #announced = 0;
  #undoTimer = 0;
  #connectionTimer = 0;
  #parts;

  /** `retry()` asks the stream to connect now; `preferences` is the model that knows who is muted. */
  constructor(model, { retry, preferences }) {
    this.#model = model;
    this.#preferences = preferences;
    const part = (id) => document.getElementById(id);
    this.#parts = {
      bell: part('bell'),
      count: part('bell-count'),
      connection: part('connection'),
      banner: part('banner'),
      readAll: part('read-all'),
      pill: part('pill'),
      scroll: part('scroll'),
      feed: part('feed'),
      states: part('states'),
      more: part('more'),
      undo: part('undo'),
      phoneCount: part('phone-count'),
      tabs: tabNames.map((name) => part(`tab-${name}`)),
    };
    this.#listen(retry);
    this.showConnection('connecting');
    this.#ask();
  }

  close() {
    this.#abort.abort();
    clearTimeout(this.#undoTimer);
    clearInterval(this.#connectionTimer);
    this.#parts.feed.replaceChildren();
    this.#parts.undo.hidden = true;
  }

  showConnection(state, retryAtMs = 0) {
    clearInterval(this.#connectionTimer);
    const { connection, banner } = this.#parts;
    const draw = () => {
      const seconds = Math.max(1, Math.ceil((retryAtMs - Date.now()) / 1000));
      const text = stateTexts[state] ?? `Retrying in ${seconds} s`;
      connection.lastElementChild.textContent = text;
    };
    draw();
    if (state === 'waiting') this.#connectionTimer = setInterval(draw, 1000);
    connection.dataset.state = state;
    banner.hidden = !['waiting', 'offline', 'stopped'].includes(state);
    banner.firstElementChild.textContent =
      state === 'stopped'
        ? 'The server does not allow this stream.'
        : 'You are offline. What was loaded stays; the rest follows.';
    if (state === 'offline') announce('Offline');
  }

  /** Runs a mark; what fails is told in words. Archiving can be taken back for a moment. */
  async act(kind, item) {
    try {
      await this.#model.mark(kind, [item.id]);
      if (kind === 'archive') this.#offerUndo('Archived', () => this.act('unarchive', item));
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Existing rows stay; taking it back is one press away. */
  async toggleMute(person) {
    const name = person.name ?? person.id;
    rememberName(person);
    const mute = () => this.#preferences.mute(person.id);
    const unmute = () => this.#preferences.unmute(person.id);
    const isMuted = this.#preferences.isMuted(person.id);
    try {
      await (isMuted ? unmute() : mute());
      this.#offerUndo(isMuted ? `${name} is no longer muted` : `${name} is muted`, () => this.toggleMute(person));
    } catch (error) {
      this.#tell(error);
    }
  }

  get rows() {
    return [...this.#parts.feed.children].map((element) => this.#rows.get(element.dataset.id)).filter(Boolean);
  }

  #listen(retry) {
    const { bell, readAll, pill, scroll, more, banner, tabs } = this.#parts;
    const { signal } = this.#abort;
    this.#model.addEventListener('change', (event) => this.#onChange(event.detail.fresh), { signal });
    readAll.addEventListener('click', () => this.#model.markAllRead().catch((error) => this.#tell(error)), { signal });
    more.addEventListener('click', () => this.#model.loadMore().catch((error) => this.#tell(error)), { signal });
    bell.addEventListener('click', () => this.#toTop(), { signal });
    pill.addEventListener('click', () => this.#toTop(), { signal });
    banner.querySelector('button').addEventListener('click', retry, { signal });
    scroll.addEventListener('scroll', () => scroll.scrollTop < scrolledPx && this.#clearFresh(), {
      signal,
      passive: true,
    });
    for (const [at, tab] of tabs.entries()) {
      tab.addEventListener('click', () => this.#selectTab(at), { signal });
      tab.addEventListener('keydown', (event) => this.#tabKey(event, at), { signal });
    }
    this.#preferences.addEventListener('change', () => this.#showMutes(), { signal });
    attachInboxKeys({ view: this, act: (kind, item) => this.act(kind, item), signal });
    const ticking = setInterval(() => this.#tickRows(), tickMs);
    signal.addEventListener('abort', () => clearInterval(ticking));
  }

  #onChange(fresh) {
    if (fresh.length > 0) {
      this.#announced += fresh.length;
      if (this.#parts.scroll.scrollTop >= scrolledPx) for (const id of fresh) this.#fresh.add(id);
    }
    this.#ask();
  }

  /** Frames may come faster than the screen can show: one drawing for all that came since the last. */
  #ask() {
    if (this.#drawAsked) return;
    this.#drawAsked = true;
    // A hidden tab gets no animation frames, but its title should still count.
    const next = document.visibilityState === 'hidden' ? (draw) => setTimeout(draw, 250) : requestAnimationFrame;
    next(() => {
      this.#drawAsked = false;
      if (!this.#abort.signal.aborted) this.#draw();
    });
  }

  #draw() {
    this.#drawCounts();
    this.#drawRows();
    drawListState(this.#parts.states, this.#model);
    const { pill, more } = this.#parts;
    const shownFresh = [...this.#fresh].filter((id) => this.#rows.has(id)).length;
    pill.hidden = shownFresh === 0;
    pill.lastElementChild.textContent = `${number(shownFresh)} new`;
    more.hidden = !this.#model.hasMore;
    more.disabled = this.#model.loadingMore;
    more.textContent = this.#model.loadingMore ? 'Loading…' : 'Load more';
  }

  #drawCounts() {
    const { counts } = this.#model;
    const { bell, count, readAll, tabs, phoneCount } = this.#parts;
    const text = counts.capped && counts.unread >= 100 ? '99+' : number(counts.unread);
    for (const badge of [count, phoneCount]) {
      badge.textContent = text;
      badge.hidden = counts.unread === 0;
    }
    bell.setAttribute(
      'aria-label',
      counts.unread === 0 ? 'Notifications, none unread' : `Notifications, ${text} unread`,
    );
    readAll.disabled = counts.unread === 0;
    document.title = counts.unread === 0 ? 'Carillon demo' : `(${text}) Carillon demo`;
    for (const [at, tab] of tabs.entries()) {
      const selected = tabNames[at] === this.#model.tab;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
      if (selected) this.#parts.scroll.setAttribute('aria-labelledby', tab.id);
    }
    if (this.#announced === 0) return;
    const news = this.#announced === 1 ? '1 new notification' : `${number(this.#announced)} new notifications`;
    announce(`${news}, ${text} unread`);
    this.#announced = 0;
  }

  #drawRows() {
    const { feed } = this.#parts;
    const { items } = this.#model;
    const focusedAt = this.rows.findIndex((row) => row.element.contains(document.activeElement));
    const focused = this.rows[focusedAt];
    const wanted = new Set(items.map((item) => item.id));
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    for (const [at, item] of items.entries()) this.#placeRow(item, at, items.length);
    feed.setAttribute('aria-busy', String(this.#model.status === 'loading'));
    // A row that went away under the reader's focus hands it to the one that took its place.
    if (focused !== undefined && document.activeElement === document.body) {
      this.focusRow(this.#rows.has(focused.item.id) ? this.rows.indexOf(focused) : focusedAt);
    }
    if (feed.querySelector('.row[tabindex="0"]') === null) feed.firstElementChild?.setAttribute('tabindex', '0');
  }

  #placeRow(item, at, size) {
    const { feed } = this.#parts;
    let row = this.#rows.get(item.id);
    if (row === undefined) {
      row = inboxRow(item, {
        act: (kind, of) => this.act(kind, of),
        why: (of) => this.#model.why(of.id),
        mute: {
          isMuted: (person) => this.#preferences.isMuted(person.id),
          toggle: (person) => this.toggleMute(person),
        },
      });
      this.#rows.set(item.id, row);
    } else if (row.item !== item) row.update(item);
    if (feed.children[at] !== row.element) feed.insertBefore(row.element, feed.children[at] ?? null);
    row.element.setAttribute('aria-posinset', String(at + 1));
    row.element.setAttribute('aria-setsize', String(this.#model.hasMore ? -1 : size));
  }

  focusRow(at) {
    const rows = this.rows;
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row === undefined) return;
    for (const other of rows) other.element.tabIndex = other === row ? 0 : -1;
    row.element.focus();
    row.element.scrollIntoView({ block: 'nearest' });
  }

  #showMutes() {
    for (const row of this.rows) row.showMute();
  }

  #tickRows() {
    for (const row of this.rows) row.tick();
  }

  #selectTab(at) {
    this.#clearFresh();
    this.#parts.scroll.scrollTop = 0;
    this.#model.load(tabNames[at]);
  }

  #tabKey(event, at) {
    const rtl = document.documentElement.dir === 'rtl';
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + tabNames.length) % tabNames.length;
    this.#selectTab(next);
    this.#parts.tabs[next].focus();
  }

  #toTop() {
    this.#parts.scroll.scrollTo({ top: 0 });
    this.#clearFresh();
    this.focusRow(0);
  }

  #clearFresh() {
    if (this.#fresh.size === 0) return;
    this.#fresh.clear();
    this.#ask();
  }

  #offerUndo(text, takeBack) {
    const undo = () => {
      this.#parts.undo.hidden = true;
      takeBack();
    };
    this.#toast(text, el('button', { type: 'button', text: 'Undo', on: { click: undo } }));
  }

  #tell(error) {
    this.#toast(error.message, null);
  }

  #toast(text, button) {
    clearTimeout(this.#undoTimer);
    this.#parts.undo.replaceChildren(el('span', { text }), ...(button === null ? [] : [button]));
    this.#parts.undo.hidden = false;
    announce(text);
    this.#undoTimer = setTimeout(() => {
      this.#parts.undo.hidden = true;
    }, undoShownMs);
  }
}
