/** What the list shows where there are no rows: a skeleton while loading, words when empty, a way out when it failed. */
import { el } from './dom.js';

const emptyTexts = {
  all: ['Nothing here yet', 'Let somebody like a post, or start the replay.'],
  unread: ['All caught up', 'New notifications will show up here at once.'],
  archived: ['The archive is empty', 'Rows that you archive are kept here.'],
};
const skeletonRows = 5;

/** Redraws only when what is to be shown has changed, so that a button in it keeps its focus. */
export function drawListState(container, model) {
  const { status, items, tab, error } = model;
  const showing = items.length > 0 ? 'none' : status === 'ready' ? `empty-${tab}` : status;
  if (container.dataset.showing === showing) return;
  container.dataset.showing = showing;
  container.replaceChildren(...content(showing, tab, error, () => model.load()));
}

function content(showing, tab, error, retry) {
  switch (showing) {
    case 'none':
      return [];
    case 'loading':
      return Array.from({ length: skeletonRows }, skeleton);
    case 'failed': {
      const button = el('button', { type: 'button', class: 'button', text: 'Try again', on: { click: retry } });
      return [message('That did not work', error?.message ?? ''), button];
    }
    default:
      return [message(...emptyTexts[tab])];
  }
}

function skeleton() {
  return el(
    'div',
    { class: 'skeleton', 'aria-hidden': 'true' },
    el('span', { class: 'bone round' }),
    el('span', { class: 'bone' }),
    el('span', { class: 'bone short' }),
  );
}

function message(title, text) {
  return el('div', { class: 'message' }, el('p', { class: 'message-title', text: title }), el('p', { text }));
}
