/** One post of the small app, with what can be done to it. */
import { avatar, el, icon } from './dom.js';

const commentsShown = 3;
const andList = new Intl.ListFormat('en', { style: 'short', type: 'conjunction' });

/** `likes` and `reposts` are names; `act` holds what the buttons do. */
export function postCard({ post, actor, ownerName, likes, reposts, liked, reposted, act }) {
  const button = (name, text, { iconName, onClick, pressed, label }) =>
    el(
      'button',
      {
        type: 'button',
        class: `post-button ${name}`,
        'aria-pressed': pressed === undefined ? null : String(pressed),
        'aria-label': label ?? null,
        data: { key: `${post.id}-${name}` },
        on: { click: onClick },
      },
      icon(iconName),
      el('span', { text }),
    );
  return el(
    'article',
    { class: 'post', data: { post: post.id }, 'aria-label': post.title },
    el(
      'header',
      {},
      avatar({ id: post.owner, name: ownerName }),
      el('div', {}, el('b', { text: ownerName }), el('span', { class: 'quiet', text: `@${post.owner}` })),
      button('remove', 'Delete', { iconName: 'bin', onClick: act.remove, label: `Delete “${post.title}”` }),
    ),
    el('h3', { text: post.title }),
    el('p', { text: post.text }),
    el('p', { class: 'quiet tally', text: tally(likes, reposts) }),
    el(
      'div',
      { class: 'post-actions' },
      button('like', liked ? 'Unlike' : 'Like', { iconName: 'heart', onClick: act.like, pressed: liked }),
      button('repost', reposted ? 'Undo repost' : 'Repost', {
        iconName: 'repost',
        onClick: act.repost,
        pressed: reposted,
      }),
      button('reply', 'Reply', { iconName: 'reply', onClick: act.reply }),
      button('like-all', 'All six like it', { iconName: 'people', onClick: act.likeAll }),
    ),
    ...post.comments.slice(-commentsShown).map((comment) => commentLine(comment, act.deleteComment)),
    commentForm(post, actor, act.comment),
  );
}

function tally(likes, reposts) {
  const parts = [];
  if (likes.length > 0) parts.push(`Liked by ${andList.format(likes)}`);
  if (reposts.length > 0) parts.push(`Reposted by ${andList.format(reposts)}`);
  return parts.join(' · ') || 'Nobody has reacted yet';
}

function commentLine(comment, remove) {
  return el(
    'div',
    { class: 'comment' },
    avatar(comment.actor),
    el(
      'p',
      { dir: 'auto' },
      el('b', { text: comment.actor.name }),
      comment.isReply ? ' replied: ' : ': ',
      comment.text,
    ),
    el(
      'button',
      {
        type: 'button',
        class: 'post-button',
        'aria-label': 'Delete this comment',
        on: { click: () => remove(comment) },
      },
      icon('bin'),
    ),
  );
}

function commentForm(post, actor, comment) {
  const input = el('input', {
    type: 'text',
    maxlength: 200,
    placeholder: `Comment as ${actor.name}…`,
    'aria-label': `Comment as ${actor.name}`,
    autocomplete: 'off',
    data: { key: `${post.id}-comment` },
  });
  const submit = (event) => {
    event.preventDefault();
    comment(input.value.trim());
  };
  return el(
    'form',
    { class: 'comment-form', on: { submit } },
    input,
    el('button', { type: 'submit', class: 'button small', text: 'Send' }),
  );
}
