import { get, listen, send, upload } from './api.js';
import { createComposer } from './composer.js';
import { avatar, h, icon, reconcile } from './dom.js';
import { showItem, toItems } from './message.js';
import { openModal } from './modal.js';

const $ = (id) => document.getElementById(id);

/** Everything the page knows. Messages and private messages by id; `unread` by conversation. */
const state = {
  you: { id: sessionStorage.getItem('as') ?? 'ana', name: '' },
  people: [],
  conversations: [],
  command: '/flow',
  current: 'general',
  root: undefined,
  target: undefined,
  editing: undefined,
  messages: new Map(),
  privates: new Map(),
  loaded: new Map(),
  unread: new Map(),
};
let stopListening = () => {};

const act = {
  get people() {
    return state.people;
  },
  get you() {
    return state.you.id;
  },
  openThread,
  edit(id) {
    state.editing = id;
    show();
  },
  saveEdit(id, text) {
    attempt(async () => {
      await send(state.you.id, 'edit', { message: id, text });
      act.edit(undefined);
    });
  },
  remove: (id) => attempt(() => send(state.you.id, 'delete', { message: id })),
  dismiss: (id) => attempt(() => send(state.you.id, 'dismiss', { private: id })),
  async click(message, button, element) {
    const place = placeOf(state.messages.get(message) ?? state.privates.get(message));
    element.disabled = true;
    await attempt(async () => react(await send(state.you.id, 'click', { message, button }), place));
    element.disabled = false;
  },
};

/** Becomes a person: loads what they see, and listens from there on. An open thread stays open if they see it, too. */
async function become(id) {
  const { root, current } = state;
  stopListening();
  sessionStorage.setItem('as', id);
  const loaded = await get(id, 'state').catch(() => get('ana', 'state'));
  Object.assign(state, {
    you: loaded.you,
    people: loaded.people,
    conversations: loaded.conversations,
    command: loaded.command,
    root: undefined,
    editing: undefined,
    messages: new Map(),
    privates: new Map(loaded.privates.map((each) => [each.id, each])),
    loaded: new Map(),
    unread: new Map(),
  });
  stopListening = listen(state.you.id, loaded.version, {
    message: takeMessage,
    private: takePrivate,
    connected: (yes) => {
      $('offline').hidden = yes;
    },
  });
  await follow();
  if (root !== undefined && state.root === undefined && state.current === current) await openThread(root);
}

/** Opens what the address says: `#channel` or `#channel/message`. */
async function follow() {
  const [conversation = '', target] = placeInAddress();
  const known = state.conversations.some(({ id }) => id === conversation);
  state.current = known ? conversation : state.conversations.find(({ id }) => id === 'general').id;
  state.target = target;
  state.unread.delete(state.current);
  await attempt(() => load(state.current));
  show();
  showComposer();
  toEnd($('scroll'));
  const message = target && state.messages.get(target);
  const thread = message?.thread ?? (message?.replies > 0 ? target : undefined);
  if (thread) await openThread(thread);
  else if (message)
    document.querySelector(`[data-message="${CSS.escape(target)}"]`)?.scrollIntoView({ block: 'center' });
}

/** The parts of the address's `#…`; none when it is not well-formed. */
function placeInAddress() {
  try {
    return location.hash.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

async function load(conversation, before) {
  if (state.loaded.has(conversation) && before === undefined) return;
  const { messages, more } = await get(state.you.id, 'messages', { conversation, ...(before && { before }) });
  for (const view of messages) state.messages.set(view.id, view);
  state.loaded.set(conversation, more);
}

async function openThread(root) {
  await attempt(async () => {
    const { messages } = await get(state.you.id, 'thread', { root });
    for (const view of messages) state.messages.set(view.id, view);
    state.root = root;
    show();
    showThreadComposer();
    toEnd($('thread-scroll'));
  });
}

function closeThread() {
  state.root = undefined;
  show();
}

function takeMessage(view) {
  const fresh = !state.messages.has(view.id) && !view.edited && !view.deleted && view.replies === 0;
  const seen = view.conversation === state.current && document.hasFocus();
  if (fresh && !seen && view.author.id !== state.you.id) {
    const { count = 0, forYou = false } = state.unread.get(view.conversation) ?? {};
    const mentioned = forYou || view.notified.includes(state.you.id);
    state.unread.set(view.conversation, { count: count + 1, forYou: mentioned });
  }
  if (view.deleted) state.messages.delete(view.id);
  else if (state.loaded.has(view.conversation)) state.messages.set(view.id, view);
  if (view.deleted && view.id === state.root) state.root = undefined;
  show();
}

function takePrivate(view) {
  if (view.dismissed) state.privates.delete(view.id);
  else state.privates.set(view.id, view);
  show();
}

/** Shows what an action brought: a form, or that it has to wait. */
function react(reaction, place) {
  switch (reaction.kind) {
    case 'none':
      return undefined;
    case 'form':
      openModal($('modal'), reaction.form, (values, files) =>
        submitForm(reaction.form.id, values, files, place),
      );
      return undefined;
    case 'errors':
      return reaction.errors;
    case 'later':
      toast('Flowbot did not take this yet. It is kept and delivered again.');
      return undefined;
    default:
      throw new Error(`unknown answer ${reaction.kind}`);
  }
}

async function submitForm(form, values, chosen, place) {
  try {
    const files = {};
    for (const [field, list] of Object.entries(chosen)) {
      files[field] = [];
      for (const file of list) files[field].push(await upload(state.you.id, file));
    }
    const reaction = await send(state.you.id, 'submit', { ...place, form, values, files });
    // The form closes before another one opens in its place.
    if (reaction.kind === 'form') queueMicrotask(() => react(reaction, place));
    return reaction.kind === 'form' ? undefined : react(reaction, place);
  } catch (error) {
    toast(error.message);
    return {};
  }
}

async function say(place, text) {
  return attempt(async () => react(await send(state.you.id, 'say', { ...place, text }), place));
}

/** Does it; a fault is shown as a sentence. Resolves to whether it went well. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}

let hideToast;
function toast(sentence) {
  $('toast').textContent = sentence;
  $('toast').hidden = false;
  clearTimeout(hideToast);
  hideToast = setTimeout(() => {
    $('toast').hidden = true;
  }, 6000);
}

function placeOf({ conversation, thread }) {
  return thread === null ? { conversation } : { conversation, thread };
}

function show() {
  const { current, root, target, editing, conversations } = state;
  const conversation = conversations.find(({ id }) => id === current);
  const messages = [...state.messages.values()].filter((view) => view.conversation === current);
  const privates = [...state.privates.values()].filter((view) => view.conversation === current);
  const marks = (inThread) => (view) => ({
    you: state.you.id,
    inThread,
    editing: view.id === editing,
    target: view.id === target,
  });

  const top = toItems(
    messages.filter(({ thread }) => thread === null),
    privates.filter(({ thread }) => thread === null),
    marks(false),
  );
  keepEnd($('scroll'), () => reconcile($('messages'), top, (item) => showItem(item, act)));
  $('conversation-name').textContent = nameOf(conversation);
  $('earlier').hidden = state.loaded.get(current) !== true;
  $('empty').hidden = top.length > 0;
  $('empty').textContent = `Nothing here yet. Type ${state.command} help to see what Flowbot can do.`;

  $('thread').hidden = root === undefined;
  document.body.classList.toggle('with-thread', root !== undefined);
  if (root !== undefined) {
    const thread = toItems(
      messages.filter((view) => view.id === root || view.thread === root),
      privates.filter((view) => view.thread === root),
      marks(true),
    );
    keepEnd($('thread-scroll'), () => reconcile($('thread-messages'), thread, (item) => showItem(item, act)));
  }
  showSidebar();
}

function showSidebar() {
  const items = state.conversations.map(({ id, name }) => ({
    key: id,
    name: nameOf({ id, name }),
    here: id === state.current,
    ...state.unread.get(id),
  }));
  const isDirect = ({ key }) => key.startsWith('@');
  reconcile(
    $('channels'),
    items.filter((item) => !isDirect(item)),
    conversationLink,
  );
  reconcile($('direct'), items.filter(isDirect), conversationLink);
  reconcile(
    $('person'),
    state.people.map(({ id, name }) => ({ key: id, name })),
    ({ key, name }) => h('option', { value: key }, name),
  );
  $('person').value = state.you.id;
  $('you-avatar').replaceChildren(avatar(state.you));
  const unread = [...state.unread.values()].reduce((sum, { count }) => sum + count, 0);
  document.title = `${unread > 0 ? `(${unread}) ` : ''}${nameOf({ id: state.current })} · Flowbot playground`;
}

function conversationLink({ key, name, here, count = 0, forYou }) {
  return h(
    'li',
    {},
    h(
      'a',
      {
        href: `#${encodeURIComponent(key)}`,
        className: count > 0 ? 'unread' : '',
        'aria-current': here ? 'page' : undefined,
        'data-testid': `channel-${key}`,
      },
      h('span', { className: 'name' }, name),
      count > 0 &&
        h(
          'span',
          {
            className: forYou ? 'count for-you' : 'count',
            'data-testid': 'unread',
            'aria-label': `${count} unread`,
          },
          String(count),
        ),
    ),
  );
}

function nameOf({ id, name = `#${id}` }) {
  return id.startsWith('@') ? 'flowbot' : name;
}

function showComposer() {
  const { current, command } = state;
  const place = { conversation: current };
  const box = createComposer({
    id: 'composer-text',
    testId: 'composer',
    command,
    placeholder: `Message ${nameOf({ id: current })}`,
    send: async (text) => {
      const taken = await say(place, text);
      toEnd($('scroll'));
      return taken;
    },
    complete: async (typed) => (await get(state.you.id, 'complete', { ...place, typed })).completions,
  });
  $('composer').replaceChildren(box.element);
  if (matchMedia('(hover: hover)').matches) box.focus();
}

function showThreadComposer() {
  const place = { conversation: state.current, thread: state.root };
  const box = createComposer({
    id: 'thread-composer-text',
    testId: 'thread-composer',
    command: state.command,
    placeholder: 'Reply in the thread',
    send: (text) => say(place, text),
    complete: async (typed) => (await get(state.you.id, 'complete', { ...place, typed })).completions,
  });
  $('thread-composer').replaceChildren(box.element);
  box.focus();
}

/** Changes a list; who was reading its end keeps reading its end. */
function keepEnd(scroll, change) {
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  change();
  if (atEnd) toEnd(scroll);
}

function toEnd(scroll) {
  scroll.scrollTop = scroll.scrollHeight;
}

function openSidebar(open) {
  document.body.classList.toggle('with-sidebar', open);
  $('menu').setAttribute('aria-expanded', String(open));
}

$('menu').append(icon('menu'));
$('thread-close').append(icon('close'));
$('menu').addEventListener('click', () => openSidebar(!document.body.classList.contains('with-sidebar')));
$('sidebar').addEventListener('click', ({ target }) => target.closest('a') && openSidebar(false));
$('thread-close').addEventListener('click', closeThread);
$('person').addEventListener('change', ({ target }) => become(target.value));
$('earlier').addEventListener('click', () =>
  attempt(async () => {
    const first = document.querySelector('#messages [data-testid=message]');
    await load(state.current, first?.dataset.message);
    show();
    first?.scrollIntoView();
  }),
);
window.addEventListener('hashchange', () => {
  closeThread();
  follow();
});
window.addEventListener('focus', () => {
  if (state.unread.delete(state.current)) showSidebar();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || $('modal').open || event.defaultPrevented) return;
  if (document.body.classList.contains('with-sidebar')) openSidebar(false);
  else if (state.root !== undefined) closeThread();
});

await become(state.you.id);
