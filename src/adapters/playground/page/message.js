import { avatar, h, icon, iconButton } from './dom.js';
import { showTree } from './markdown.js';

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

/** Messages written this soon after one another by the same author stand together. */
const togetherMs = 5 * 60_000;

/**
 * What a list of messages shows, in order: days, messages, and what only you see. `marks` says what else an item's
 * looks depend on.
 */
export function toItems(messages, privates, marks) {
  const all = [
    ...messages.map((view) => ({ view, only: false })),
    ...privates.map((view) => ({ view, only: true })),
  ].sort((a, b) => a.view.atMs - b.view.atMs || (a.view.id.slice(1) < b.view.id.slice(1) ? -1 : 1));
  const items = [];
  let before;
  for (const { view, only } of all) {
    const date = new Date(view.atMs).toDateString();
    const sameDay = before && new Date(before.view.atMs).toDateString() === date;
    if (!sameDay) items.push({ key: `day ${date}`, kind: 'day', atMs: view.atMs });
    const together =
      sameDay &&
      !only &&
      !before.only &&
      before.view.author.id === view.author.id &&
      view.atMs - before.view.atMs < togetherMs;
    items.push({ key: view.id, kind: only ? 'private' : 'message', view, together, ...marks(view) });
    before = { view, only };
  }
  return items;
}

/** The element of an item. `act` has what people can do. */
export function showItem(item, act) {
  if (item.kind === 'day') {
    return h('li', { className: 'day', role: 'separator' }, h('span', {}, day.format(item.atMs)));
  }
  return item.kind === 'private' ? privateMessage(item, act) : message(item, act);
}

function message({ view, together, you, editing, target, inThread }, act) {
  const { author } = view;
  const mine = author.id === you;
  const element = h('li', {
    className: ['message', together && 'together', target && 'target', callsFor(view, you) && 'for-you']
      .filter(Boolean)
      .join(' '),
    'data-testid': 'message',
    'data-message': view.id,
    'data-author': author.id,
  });
  const time = h(
    'time',
    { title: full.format(view.atMs), dateTime: new Date(view.atMs).toISOString() },
    clock.format(view.atMs),
  );
  const head = h(
    'div',
    { className: 'head' },
    h('span', { className: 'author', 'data-testid': 'author' }, author.name),
    author.bot && h('span', { className: 'badge', 'data-testid': 'app-badge' }, 'APP'),
    time,
  );
  const tools = h(
    'div',
    { className: 'tools' },
    !inThread && iconButton('reply', 'Reply in thread', () => act.openThread(view.id), 'reply'),
    mine && iconButton('edit', 'Edit', () => act.edit(view.id), 'edit'),
    iconButton('trash', 'Delete', () => act.remove(view.id), 'delete'),
  );
  const replies =
    view.replies > 0 &&
    !inThread &&
    h(
      'button',
      {
        type: 'button',
        className: 'replies',
        'data-testid': 'replies',
        onclick: () => act.openThread(view.id),
      },
      icon('reply'),
      view.replies === 1 ? '1 reply' : `${view.replies} replies`,
    );
  element.append(
    h('div', { className: 'gutter' }, together ? time.cloneNode(true) : avatar(author)),
    h(
      'div',
      { className: 'content' },
      together
        ? h('span', { className: 'visually-hidden' }, `${author.name}, ${clock.format(view.atMs)}`)
        : head,
      editing ? editor(view, act) : body(view, act),
      view.edited && !editing && h('small', { className: 'edited', 'data-testid': 'edited' }, '(edited)'),
      replies,
    ),
    tools,
  );
  return element;
}

/** Whether a message wants something of somebody: a card that is decided does not any more. */
function callsFor({ body, notified }, you) {
  return (body.kind === 'post' ? body.notify : notified).includes(you);
}

function privateMessage({ view }, act) {
  return h(
    'li',
    { className: 'message private', 'data-testid': 'private', 'data-message': view.id },
    h('div', { className: 'gutter' }, avatar({ id: 'flowbot', name: 'flowbot' })),
    h(
      'div',
      { className: 'content' },
      h('p', { className: 'only' }, icon('eye'), 'Only you can see this'),
      h(
        'div',
        { className: 'head' },
        h('span', { className: 'author' }, 'flowbot'),
        h('span', { className: 'badge' }, 'APP'),
        h('time', { title: full.format(view.atMs) }, clock.format(view.atMs)),
      ),
      body(view, act),
      h(
        'button',
        {
          type: 'button',
          className: 'dismiss',
          'data-testid': 'dismiss',
          onclick: () => act.dismiss(view.id),
        },
        'Dismiss',
      ),
    ),
  );
}

function body(view, act) {
  if (view.body.kind === 'typed') {
    return h('div', { className: 'typed', dir: 'auto', 'data-testid': 'text' }, withMentions(view, act));
  }
  if (view.body.kind === 'file') return file(view, act);
  const { tree, notify, buttons } = view.body;
  const people = notify.flatMap((id) => act.people.find((person) => person.id === id) ?? []);
  return h(
    'div',
    {},
    people.length > 0 &&
      h(
        'p',
        { className: 'mentions', 'data-testid': 'mentions', 'aria-label': 'Notifies' },
        people.map(({ id, name }) => pill(id, name, act.you)),
      ),
    h('div', { dir: 'auto', 'data-testid': 'text' }, showTree(tree)),
    buttons.length > 0 &&
      h(
        'div',
        { className: 'buttons' },
        buttons.map(({ id, label, style }) =>
          h(
            'button',
            {
              type: 'button',
              className: `button ${style}`,
              'data-testid': 'button',
              'data-button': id,
              onclick: ({ currentTarget }) => act.click(view.id, id, currentTarget),
            },
            label,
          ),
        ),
      ),
  );
}

/** A file to save; a picture is shown as well. */
function file(view, act) {
  const { name, alt, picture } = view.body;
  const href = `api/file?${new URLSearchParams({ as: act.you, message: view.id })}`;
  return h(
    'figure',
    { className: 'file', 'data-testid': 'file' },
    picture && h('img', { src: href, alt, loading: 'lazy' }),
    h('figcaption', {}, h('a', { href, download: name, className: 'file-name' }, name)),
  );
}

/** What a person typed, with the people it notified marked. */
function withMentions(view, act) {
  return view.body.text.split(/(@[a-z]+)/i).map((piece) => {
    const id = piece.startsWith('@') ? piece.slice(1).toLowerCase() : '';
    const known =
      view.notified.includes(id) || (id === 'flowbot' && view.body.text.trimStart().startsWith(piece));
    return known ? pill(id, piece.slice(1), act.you) : piece;
  });
}

function pill(id, name, you) {
  return h('span', { className: id === you ? 'pill self' : 'pill', 'data-person': id }, `@${name}`);
}

function editor(view, act) {
  const area = h('textarea', {
    value: view.body.text,
    rows: 2,
    maxLength: 4000,
    'aria-label': 'Edit message',
    'data-testid': 'edit-text',
    onkeydown: (event) => {
      if (event.key === 'Escape') act.edit(undefined);
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        act.saveEdit(view.id, area.value);
      }
    },
  });
  queueMicrotask(() => area.focus());
  return h('div', { className: 'editor' }, area, h('small', {}, 'Enter saves, Esc cancels'));
}
