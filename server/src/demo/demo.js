/** The page: which person's inbox is open, light or dark, direction. */
import { createApi } from './api.js';
import { attachHalves } from './halves.js';
import { InboxModel } from './inbox-model.js';
import { InboxView } from './inbox-view.js';
import { PreferencesModel } from './preferences-model.js';
import { PreferencesView } from './preferences-view.js';
import { PushChoice } from './push-choice.js';
import { followLanguage } from './row-language.js';
import { SocialApp } from './social-app.js';
import { LiveStream } from './stream.js';
import { attachTraceReplay } from './trace-replay.js';
import { WhatIf } from './what-if.js';

/** The people the sample trace tells of most, for the picker; any other id can come as `?user=`. */
const busiestPeople = ['88', '1988', '3998', '301', '677', '383', '27029'];
const seenAfterMs = 1500;

const root = document.documentElement;
const settings = new URLSearchParams(location.search);
const part = (id) => document.getElementById(id);

let open = null;

function openInbox(user) {
  open?.close();
  const api = createApi({ user });
  const model = new InboxModel(api);
  let stream = null;
  let closed = false;
  const abort = new AbortController();
  const preferences = new PreferencesModel(api);
  const view = new InboxView(model, { retry: () => stream?.retryNow(), preferences });
  followLanguage(preferences, model, abort.signal);
  // The stream starts where the first page ended: opened any earlier, something could fall between the two.
  model.load().then(() => {
    if (closed) return;
    stream = new LiveStream({
      token: api.token,
      since: () => model.revision,
      onFrame: (frame) => model.receive(frame),
      onState: (state, retryAtMs) => view.showConnection(state, retryAtMs),
    });
  });
  const seeing = setInterval(() => {
    if (document.visibilityState === 'visible') model.markSeen().catch(() => {}); // the next round tries again
  }, seenAfterMs);
  const app = new SocialApp(user);
  const panels = [
    new PreferencesView(preferences),
    new PushChoice({ api }),
    new WhatIf({ person: user, post: () => app.posts[0], preferences }),
  ];
  open = {
    close() {
      closed = true;
      clearInterval(seeing);
      stream?.close();
      view.close();
      abort.abort();
      for (const panel of panels) panel.close();
    },
  };
}

function attachPicker() {
  const select = part('person');
  const asked = settings.get('user') || busiestPeople[0];
  const people = busiestPeople.includes(asked) ? busiestPeople : [asked, ...busiestPeople];
  select.replaceChildren(...people.map((id) => new Option(`User ${id}`, id, id === asked, id === asked)));
  select.addEventListener('change', () => {
    settings.set('user', select.value);
    history.replaceState(null, '', `?${settings}`);
    openInbox(select.value);
  });
  return asked;
}

/** Light or dark: the system's choice until a button or the address says otherwise. */
function attachTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (theme) => {
    if (theme === null) delete root.dataset.theme;
    else root.dataset.theme = theme;
    const isDark = theme === null ? dark.matches : theme === 'dark';
    part('theme').setAttribute('aria-pressed', String(isDark));
    return isDark;
  };
  let isDark = apply(settings.get('theme') ?? stored('theme'));
  dark.addEventListener('change', () => {
    isDark = apply(stored('theme'));
  });
  part('theme').addEventListener('click', () => {
    const theme = isDark ? 'light' : 'dark';
    store('theme', theme);
    isDark = apply(theme);
  });
}

function attachDirection() {
  const apply = (dir) => {
    root.dir = dir;
    part('dir').setAttribute('aria-pressed', String(dir === 'rtl'));
  };
  apply(settings.get('dir') === 'rtl' ? 'rtl' : 'ltr');
  part('dir').addEventListener('click', () => apply(root.dir === 'rtl' ? 'ltr' : 'rtl'));
}

function stored(name) {
  try {
    return localStorage.getItem(`carillon-demo-${name}`);
  } catch {
    return null;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(`carillon-demo-${name}`, value);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

attachTheme();
attachDirection();
attachHalves();
attachTraceReplay();
openInbox(attachPicker());
