/**
 * The small social app on the left: posts of the person whose inbox is open, and six people who do things to them.
 * It knows Carillon only as a producer does: it sends events. What it remembers (who likes what) is its own state.
 */
import { createApi } from './api.js';
import { announce, avatar, el, icon } from './dom.js';
import { postCard } from './post-card.js';
import { cast, commentObject, demoEvent, demoSource, messageObject, postObject, userObject } from './social-events.js';

const postTexts = [
  { title: 'Sunrise over the harbour', text: 'Up at five, and for once worth it. The whole bay was copper.' },
  { title: 'Sourdough, attempt nine', text: 'It rose! It actually rose. Crumb pictures tomorrow.' },
];
const phrases = ['Love this!', 'Where was that?', 'Made my day.', 'Teach me.', 'Wonderful light.', 'More, please!'];
const api = createApi({ source: demoSource });

export class SocialApp {
  #person;
  #acting = cast[0];
  #state;
  #parts;

  /** `person` is the id of whose posts these are. */
  constructor(person) {
    this.#person = person;
    this.#state = loadState(person);
    const part = (id) => document.getElementById(id);
    this.#parts = {
      people: part('people'),
      toPerson: part('to-person'),
      posts: part('posts'),
      error: part('app-error'),
    };
    this.#drawPeople();
    this.#draw();
  }

  get posts() {
    return this.#state.posts;
  }

  #drawPeople() {
    const choices = cast.map((person) => {
      const input = el('input', { type: 'radio', name: 'acting', value: person.id, class: 'visually-hidden' });
      input.checked = person === this.#acting;
      input.addEventListener('change', () => {
        this.#acting = person;
        this.#draw();
      });
      return el('label', { class: 'person' }, input, avatar(person), el('span', { text: person.name }));
    });
    this.#parts.people.replaceChildren(...choices);
  }

  #draw() {
    const actor = this.#acting;
    const follows = this.#has('follows', 'self', actor);
    const button = (text, iconName, onClick, pressed) =>
      el(
        'button',
        {
          type: 'button',
          class: 'button',
          'aria-pressed': pressed === undefined ? null : String(pressed),
          on: { click: onClick },
        },
        icon(iconName),
        text,
      );
    const focusedKey = document.activeElement?.dataset?.key;
    this.#parts.toPerson.replaceChildren(
      button(follows ? 'Following' : 'Follow', 'person', () => this.#toggleFollow(), follows),
      button('Mention', 'at', () => this.#mention()),
      button('Message', 'mail', () => this.#message()),
    );
    for (const [at, child] of [...this.#parts.toPerson.children].entries()) child.dataset.key = `to-person-${at}`;
    this.#parts.posts.replaceChildren(...this.#state.posts.map((post) => this.#card(post)));
    // Redrawing replaces the button that was pressed: its successor takes the focus.
    if (focusedKey) document.querySelector(`[data-key="${CSS.escape(focusedKey)}"]`)?.focus();
  }

  #card(post) {
    return postCard({
      post,
      actor: this.#acting,
      ownerName: `User ${this.#person}`,
      likes: this.#names('likes', post.id),
      reposts: this.#names('reposts', post.id),
      liked: this.#has('likes', post.id, this.#acting),
      reposted: this.#has('reposts', post.id, this.#acting),
      act: {
        like: () => this.#toggle(post, 'likes', ['post.liked', 'post.unliked']),
        repost: () => this.#toggle(post, 'reposts', ['post.reposted', 'post.unreposted']),
        likeAll: () => this.#likeAll(post),
        comment: (text) => this.#comment(post, text),
        reply: () => this.#reply(post),
        deleteComment: (comment) => this.#deleteComment(post, comment),
        remove: () => this.#deletePost(post),
      },
    });
  }

  #toggle(post, list, [on, off]) {
    const actor = this.#acting;
    const had = this.#has(list, post.id, actor);
    this.#set(list, post.id, actor, !had);
    this.#send(demoEvent(had ? off : on, { actor, object: postObject(post), to: this.#person }));
  }

  /** Those of the six who do not like it yet, one after another, so that the row can be seen growing. */
  async #likeAll(post) {
    for (const actor of cast) {
      if (this.#has('likes', post.id, actor)) continue;
      this.#set('likes', post.id, actor, true);
      await this.#send(demoEvent('post.liked', { actor, object: postObject(post), to: this.#person }));
    }
  }

  #comment(post, text) {
    const actor = this.#acting;
    const comment = { id: crypto.randomUUID(), actor, text: text || this.#phrase() };
    post.comments.push(comment);
    this.#send(demoEvent('comment.created', { actor, object: commentObject(comment, post), to: this.#person }));
  }

  /** An answer to what the person wrote below their own post. */
  #reply(post) {
    const actor = this.#acting;
    const comment = { id: crypto.randomUUID(), actor, text: this.#phrase() };
    post.comments.push({ ...comment, isReply: true });
    this.#send(demoEvent('reply.created', { actor, object: commentObject(comment, post), to: this.#person }));
  }

  #deleteComment(post, comment) {
    post.comments = post.comments.filter((other) => other.id !== comment.id);
    const { actor } = comment;
    this.#send(demoEvent('comment.deleted', { actor, object: commentObject(comment, post), to: this.#person }));
  }

  #deletePost(post) {
    const at = this.#state.posts.indexOf(post);
    this.#state.posts[at] = newPost(this.#person, postTexts[at]);
    const actor = { id: this.#person, name: `User ${this.#person}` };
    this.#send(demoEvent('post.deleted', { actor, object: postObject(post), to: this.#person }));
    announce('Post deleted. A fresh one took its place.');
  }

  #toggleFollow() {
    const actor = this.#acting;
    const had = this.#has('follows', 'self', actor);
    this.#set('follows', 'self', actor, !had);
    const type = had ? 'user.unfollowed' : 'user.followed';
    this.#send(demoEvent(type, { actor, object: userObject(this.#person), to: this.#person }));
  }

  #mention() {
    const actor = this.#acting;
    const post = { id: crypto.randomUUID(), owner: actor.id, title: `Coffee with @${this.#person} again` };
    this.#send(demoEvent('mention.created', { actor, object: postObject(post), to: this.#person }));
  }

  #message() {
    const actor = this.#acting;
    this.#send(demoEvent('message.sent', { actor, object: messageObject(actor, this.#phrase()), to: this.#person }));
  }

  async #send(event) {
    saveState(this.#person, this.#state);
    this.#draw();
    this.#parts.error.hidden = true;
    try {
      const [result] = await api.send([event]);
      if (result.status === 'rejected') throw new Error(result.error.detail);
    } catch (error) {
      this.#parts.error.textContent = `Not sent: ${error.message}`;
      this.#parts.error.hidden = false;
    }
  }

  #has(list, id, actor) {
    return this.#state[list][id]?.includes(actor.id) ?? false;
  }

  #set(list, id, actor, present) {
    const others = (this.#state[list][id] ?? []).filter((other) => other !== actor.id);
    this.#state[list][id] = present ? [...others, actor.id] : others;
  }

  #names(list, id) {
    return (this.#state[list][id] ?? []).map((other) => cast.find((person) => person.id === other)?.name ?? other);
  }

  #phrase() {
    return phrases[Math.floor(Math.random() * phrases.length)];
  }
}

function newPost(owner, text) {
  return { id: `demo-${owner}-${crypto.randomUUID().slice(0, 8)}`, owner, comments: [], ...text };
}

function storageKey(person) {
  return `carillon-demo-app-${person}`;
}

function loadState(person) {
  try {
    const state = JSON.parse(localStorage.getItem(storageKey(person)));
    if (state?.version === 1) return state;
  } catch {
    // Unreadable state is as good as none.
  }
  const posts = postTexts.map((text) => newPost(person, text));
  return { version: 1, posts, likes: {}, reposts: {}, follows: {} };
}

function saveState(person, state) {
  try {
    localStorage.setItem(storageKey(person), JSON.stringify(state));
  } catch {
    // Private windows may have no storage: the app then forgets on reload.
  }
}
