/** "Notify me in this browser": asks the browser, subscribes with the service's key, and registers it for the person (V11). */
import { announce } from './dom.js';

const workerUrl = '/demo/push-worker.js';
const deviceKey = 'carillon-demo-device';

const words = {
  unable: 'This browser cannot be pushed to.',
  noKey: 'This service has no key for browsers (push.webpush).',
  denied: 'This page may not show notifications: the browser’s settings for it say so.',
  off: 'Pushes of this person are not shown here.',
  on: 'Pushes of this person are shown here, also while this page is closed.',
};

export class PushChoice {
  #api;
  #signal;
  #key = null;
  #state = 'off';
  #button = document.getElementById('push-toggle');
  #words = document.getElementById('push-words');
  #error = document.getElementById('push-error');

  constructor({ api }) {
    const abort = new AbortController();
    this.#api = api;
    this.#signal = abort.signal;
    this.close = () => abort.abort();
    this.#error.hidden = true;
    this.#button.addEventListener('click', () => this.#run(() => this.#toggle()), { signal: abort.signal });
    this.#run(() => this.#look());
  }

  /** The button is off while something is under way. */
  async #run(work) {
    this.#button.disabled = true;
    this.#error.hidden = true;
    try {
      await work();
    } catch (error) {
      if (this.#signal.aborted) return;
      const faults = error.faults?.map(({ detail }) => detail) ?? [];
      this.#error.textContent = `Not changed: ${[error.message, ...faults].join(' ')}`;
      this.#error.hidden = false;
    }
    if (!this.#signal.aborted) this.#draw();
  }

  async #look() {
    if (!('PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator)) {
      this.#state = 'unable';
      return;
    }
    ({ key: this.#key } = await this.#api.request('GET', '/v1/push/vapid-key'));
    if (this.#key === null) this.#state = 'noKey';
    else if (Notification.permission === 'denied') this.#state = 'denied';
    else this.#state = (await this.#isRegistered()) ? 'on' : 'off';
  }

  /** A browser is of one person: whoever turned it on last. */
  async #isRegistered() {
    const id = storedDevice();
    if (id === null) return false;
    const { items } = await this.#api.request('GET', '/v1/devices');
    return items.some((device) => device.id === id);
  }

  async #toggle() {
    if (this.#state === 'on') await this.#turnOff();
    else await this.#turnOn();
    if (!this.#signal.aborted) announce(words[this.#state]);
  }

  async #turnOn() {
    if ((await Notification.requestPermission()) !== 'granted') {
      this.#state = Notification.permission === 'denied' ? 'denied' : 'off';
      return;
    }
    const subscription = await subscribe(this.#key);
    const { id } = await this.#api.request('POST', '/v1/devices', {
      provider: 'webpush',
      subscription: subscription.toJSON(),
      vapidKey: this.#key,
      app: location.origin,
    });
    localStorage.setItem(deviceKey, id);
    this.#state = 'on';
  }

  async #turnOff() {
    await this.#api.request('DELETE', `/v1/devices/${storedDevice()}`);
    localStorage.removeItem(deviceKey);
    const registration = await navigator.serviceWorker.getRegistration(workerUrl);
    const subscription = await registration?.pushManager.getSubscription();
    await subscription?.unsubscribe();
    this.#state = 'off';
  }

  #draw() {
    const canToggle = this.#state === 'on' || this.#state === 'off';
    this.#button.disabled = !canToggle;
    this.#button.setAttribute('aria-pressed', String(this.#state === 'on'));
    this.#button.textContent = this.#state === 'on' ? 'Stop notifying me here' : 'Notify me in this browser';
    this.#words.textContent = words[this.#state];
  }
}

/** One made with another key of the service is of no use any more. */
async function subscribe(key) {
  const registration = await navigator.serviceWorker.register(trustedWorker());
  await activated(registration);
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    if (error.name !== 'InvalidStateError') throw error;
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return await registration.pushManager.subscribe(options);
  }
}

/** The page's policy takes addresses of scripts only from one who vouches for them. */
function trustedWorker() {
  policy ??= window.trustedTypes?.createPolicy('carillon-push-worker', { createScriptURL: () => workerUrl });
  return policy?.createScriptURL(workerUrl) ?? workerUrl;
}

let policy;

function activated({ active, waiting, installing }) {
  if (active !== null) return Promise.resolve();
  const worker = waiting ?? installing;
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant') reject(new Error('The browser gave the worker up.'));
    });
  });
}

function storedDevice() {
  try {
    return localStorage.getItem(deviceKey);
  } catch {
    return null; // storage is forbidden: then nothing is remembered
  }
}
