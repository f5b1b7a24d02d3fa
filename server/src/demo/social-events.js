/**
 * The events that the small app sends, in the words of the wire (WIRE.md, "Events"). Ids are random, so each press of a button
 * is a new event; `seq` orders what one person does to one thing, so that an unlike that overtakes its like still wins (E7).
 */

export const demoSource = 'demo';

/** The six people of the demo. */
export const cast = ['Ana', 'Bo', 'Cy', 'Dee', 'Eli', 'Fay'].map((name) => ({
  id: `demo-${name.toLowerCase()}`,
  name,
}));

let lastSeq = 0;

/** Greater with every call, also after a reload: milliseconds, or one more than the last. */
function nextSeq() {
  lastSeq = Math.max(lastSeq + 1, Date.now());
  return lastSeq;
}

/** `actor` is a person; `to` the id of who should hear of it. */
export function demoEvent(type, { actor, object, to, data }) {
  return {
    id: crypto.randomUUID(),
    source: demoSource,
    type,
    time: new Date().toISOString(),
    seq: nextSeq(),
    actor: { id: actor.id, name: actor.name },
    object,
    to: { user: to },
    ...(data === undefined ? {} : { data }),
  };
}

export function postObject(post) {
  return { kind: 'post', id: post.id, owner: post.owner, title: post.title, url: `http://localhost/p/${post.id}` };
}

export function commentObject(comment, post) {
  return {
    kind: 'comment',
    id: comment.id,
    owner: comment.actor.id,
    title: comment.text,
    parent: postObject(post),
  };
}

export function userObject(id) {
  return { kind: 'user', id, owner: id };
}

export function messageObject(actor, text) {
  return { kind: 'message', id: crypto.randomUUID(), owner: actor.id, title: text };
}

/** What somebody might do, for trying out: `words` complete a sentence that begins with their name. */
export const sampleEvents = [
  {
    words: 'likes a post',
    make: (actor, post, to) => demoEvent('post.liked', { actor, object: postObject(post), to }),
  },
  {
    words: 'comments on a post',
    make: (actor, post, to) =>
      demoEvent('comment.created', { actor, object: commentObject(sampleComment(actor), post), to }),
  },
  {
    words: 'mentions them',
    make: (actor, _post, to) => demoEvent('mention.created', { actor, object: postObject(samplePost(actor, to)), to }),
  },
  {
    words: 'follows them',
    make: (actor, _post, to) => demoEvent('user.followed', { actor, object: userObject(to), to }),
  },
  {
    words: 'sends a message',
    make: (actor, _post, to) =>
      demoEvent('message.sent', { actor, object: messageObject(actor, 'Are you there?'), to }),
  },
  {
    words: 'signs in as them elsewhere',
    make: (actor, _post, to) => ({ ...demoEvent('security.alert', { actor, to }), actor: undefined }),
  },
];

function sampleComment(actor) {
  return { id: crypto.randomUUID(), actor, text: 'Where was that?' };
}

function samplePost(actor, mentioned) {
  return { id: crypto.randomUUID(), owner: actor.id, title: `Coffee with @${mentioned}` };
}
