/** Small helpers for building the page. All text goes in as text nodes: nothing a user wrote can become markup (C4). */

/**
 * An element. `props`: `class`, `text`, `on` (listeners), `data` (data attributes), any attribute; null and false leave one out.
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProperty(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function setProperty(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === 'class') element.className = value;
  else if (name === 'text') element.textContent = value;
  else if (name === 'data') Object.assign(element.dataset, value);
  else if (name === 'on')
    for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** An icon of the sprite in index.html; decoration only, so hidden from screen readers. */
export function icon(name) {
  const svgNs = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(svgNs, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svgNs, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** Initials on a colour of the person's own. */
export function avatar(person) {
  const name = person.name ?? person.id;
  const circle = el('span', { class: 'avatar', 'aria-hidden': 'true', text: initials(name) });
  circle.style.setProperty('--hue', String(hueOf(person.id)));
  return circle;
}

/** First letters, whole grapheme clusters, of the first two words that begin with a letter. */
function initials(name) {
  const letters = name
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word))
    .slice(0, 2)
    .map((word) => [...new Intl.Segmenter().segment(word)][0].segment.toLocaleUpperCase());
  return letters.join('') || [...name][0] || '?';
}

/** Degrees on the colour wheel; the factor puts the six people of the demo far apart. */
function hueOf(id) {
  let hash = 7;
  for (const char of id) hash = (Math.imul(hash, 31) + char.codePointAt(0)) >>> 0;
  return (hash * 22) % 360;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const steps = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `now`, `5m ago`, `2h ago`, a date after a week. */
export function timeAgo(iso, nowMs = Date.now()) {
  const seconds = Math.max(0, (nowMs - Date.parse(iso)) / 1000);
  if (seconds > 7 * 86_400) return new Date(iso).toLocaleDateString('en', { day: 'numeric', month: 'short' });
  for (const [unit, length] of steps) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  }
  return 'now';
}

export function number(value) {
  return value.toLocaleString('en');
}

let announceTimer = 0;

/** Says `text` in the one polite live region; of several within a moment only the last, so that a burst is one sentence. */
export function announce(text) {
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => {
    document.getElementById('announcer').textContent = text;
  }, 400);
}
