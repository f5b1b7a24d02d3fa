/** Keys of the inbox: j and k move, Enter reads, e archives, u marks unread, w explains, m mutes. Not while somebody types. */

/** `view` has `rows` and `focusRow(at)`; `act(kind, item)` marks. Ends with `signal`. */
export function attachInboxKeys({ view, act, signal }) {
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const rows = view.rows;
      const at = rows.findIndex((row) => row.element.contains(document.activeElement));
      const row = rows[at];
      const keys = {
        j: () => view.focusRow(at + 1),
        k: () => view.focusRow(at < 0 ? 0 : at - 1),
        Enter: () => act('read', row.item),
        e: () => act(row.item.state.archived ? 'unarchive' : 'archive', row.item),
        u: () => act(row.item.state.read ? 'unread' : 'read', row.item),
        w: () => row.toggleWhy(),
        m: () => row.toggleMute(),
      };
      const action = keys[event.key];
      if (action === undefined) return;
      const moves = event.key === 'j' || event.key === 'k';
      // On a button inside the row, Enter is the button's.
      if (!moves && (row === undefined || (event.key === 'Enter' && event.target !== row.element))) return;
      event.preventDefault();
      action();
    },
    { signal },
  );
}

function isTyping(target) {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
