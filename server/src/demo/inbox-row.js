/** One row of the inbox: made once, then changed in place, so that focus and open explanations survive. */
import { avatar, el, icon, timeAgo } from './dom.js';
import { muteButton } from './mute-button.js';
import { whyPanel } from './why-panel.js';

const avatarsShown = 2;

const categoryIcons = {
  reactions: 'heart',
  reposts: 'repost',
  comments: 'comment',
  mentions: 'at',
  follows: 'person',
  messages: 'mail',
};

/**
 * `act(kind, item)` is called for `read`, `unread`, `archive`, `unarchive`; `why(item)` answers the decisions;
 * `mute` has what its button needs, `isMuted(person)` and `toggle(person)`.
 * @returns {{ element: HTMLElement, update(item: object): void, tick(): void, showMute(): void, toggleWhy(): void,
 *   toggleMute(): void, item: object }}
 */
export function inboxRow(item, deps) {
  const { act } = deps;
  const textId = `text-${item.id}`;
  const parts = {
    faces: el('div', { class: 'faces' }),
    text: el('p', { class: 'row-text', id: textId, dir: 'auto' }),
    excerpt: el('p', { class: 'row-excerpt', dir: 'auto' }),
    time: el('time', { class: 'row-time' }),
    unreadWord: el('span', { class: 'visually-hidden', text: 'Unread' }),
    read: el('button', { type: 'button', class: 'row-button' }),
    archive: el('button', { type: 'button', class: 'row-button' }),
  };
  const why = whyPanel(() => deps.why(row.item));
  const mute = muteButton(deps.mute);
  const element = el(
    'article',
    { class: 'row', tabindex: '-1', 'aria-labelledby': textId, data: { id: item.id } },
    parts.faces,
    el(
      'div',
      { class: 'row-main' },
      parts.text,
      parts.excerpt,
      el(
        'div',
        { class: 'row-meta', lang: 'en' },
        ...[parts.unreadWord, parts.time, parts.read, parts.archive, why.button, mute.element],
      ),
      why.panel,
    ),
    el('span', { class: 'dot', 'aria-hidden': 'true' }),
  );
  const showMute = () => mute.show(row.item);
  const row = { element, item, update, tick, showMute, toggleWhy: why.toggle, toggleMute: mute.press };

  parts.read.addEventListener('click', () => act(row.item.state.read ? 'unread' : 'read', row.item));
  parts.archive.addEventListener('click', () => act(row.item.state.archived ? 'unarchive' : 'archive', row.item));
  element.addEventListener('click', (event) => {
    if (event.target.closest('button') === null && !row.item.state.read) act('read', row.item);
  });

  function update(next) {
    const before = row.item;
    row.item = next;
    element.classList.toggle('unread', !next.state.read);
    parts.unreadWord.hidden = next.state.read;
    fillText(parts.text, next);
    const excerpt = excerptOf(next);
    parts.excerpt.textContent = excerpt;
    parts.excerpt.hidden = excerpt === '';
    parts.read.textContent = next.state.read ? 'Mark unread' : 'Mark read';
    parts.archive.textContent = next.state.archived ? 'Move back' : 'Archive';
    if (before === next || facesKey(before) !== facesKey(next)) fillFaces(parts.faces, next);
    if (before !== next && before.activityRevision < next.activityRevision) pulse(element);
    mute.show(next);
    tick();
  }

  function tick() {
    parts.time.dateTime = row.item.activityAt;
    parts.time.title = new Date(row.item.activityAt).toLocaleString();
    const text = timeAgo(row.item.activityAt);
    if (parts.time.textContent !== text) parts.time.textContent = text;
  }

  update(item);
  return row;
}

function facesKey(item) {
  return item.actors.map((actor) => actor.id).join('\n');
}

function fillFaces(faces, item) {
  const people = item.actors.slice(0, avatarsShown).map((actor) => avatar(actor));
  const kind = el(
    'span',
    { class: 'kind', data: { category: item.category } },
    icon(categoryIcons[item.category] ?? 'bell'),
  );
  faces.replaceChildren(...people, kind);
  faces.classList.toggle('two', people.length > 1);
}

/** The API's sentence, with each person's name set off where it first stands. */
function fillText(paragraph, item) {
  const body = item.text.body || item.text.title;
  const names = new Set(item.actors.map((actor) => actor.name).filter((name) => name && body.includes(name)));
  if (names.size === 0) return paragraph.replaceChildren(body);
  const pattern = new RegExp(`(${[...names].map(escapeForPattern).join('|')})`, 'u');
  // `delete` answers whether the name was still to come.
  const pieces = body.split(pattern).map((piece) => (names.delete(piece) ? el('b', { text: piece }) : piece));
  paragraph.replaceChildren(...pieces);
}

function escapeForPattern(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** What the row is about, where the sentence does not say it already. */
function excerptOf(item) {
  const title = item.object.title ?? '';
  return item.text.body.includes(title) ? '' : title;
}

/** A moment's glow on a row that has grown, restarted if it grows again. */
function pulse(element) {
  element.classList.remove('grown');
  void element.offsetWidth;
  element.classList.add('grown');
}
