/** Keeps the rows in the language that the person reads: they are loaded anew when it changes, and run its way. */

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

/** `preferences` and `inbox` are the models of one person. Ends with `signal`. */
export function followLanguage(preferences, inbox, signal) {
  const feed = document.getElementById('feed');
  let known;
  const follow = () => {
    const { value } = preferences.preferences.resolved.locale;
    feed.lang = value ?? 'en';
    if (value !== null && rightToLeft.has(value.split('-')[0])) feed.dir = 'rtl';
    else feed.removeAttribute('dir');
    if (known !== undefined && known !== value) inbox.load();
    known = value;
  };
  preferences.addEventListener('change', follow, { signal });
}
