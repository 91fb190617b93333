import { fitPictures, zoomOf } from './picture.js';

/* Keeps a page up to date, and moves inside it without loading it anew. Without this file everything works, too. */

const main = document.getElementById('main');
/** What is brought up to date: the content, and the navigation with its count. */
const parts = ['main', 'pages'];
let isBusy = false;
let isStale = false;

/** Asks for the page again, and changes what reads differently. */
async function refresh() {
  isStale = true;
  if (isBusy) return;
  isBusy = true;
  try {
    while (isStale) {
      isStale = false;
      await load();
    }
  } catch {
    // The server is not there: the stream says when it is again.
  } finally {
    isBusy = false;
  }
}

async function load() {
  const asked = location.href;
  const response = await fetch(asked, { headers: { accept: 'text/html' } });
  // Somebody has to sign in again.
  if (response.redirected && new URL(response.url).pathname === '/login') return location.reload();
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (location.href !== asked) return;
  document.title = fresh.title;
  for (const id of parts) {
    const [before, after] = [document.getElementById(id), fresh.getElementById(id)];
    if (before && after) morph(before, after.innerHTML);
  }
  await settle();
}

/** What people have opened, typed or zoomed stays as it is. */
function morph(element, inner) {
  globalThis.Idiomorph.morph(element, inner, {
    morphStyle: 'innerHTML',
    // Of anything else that has the focus the content would be left alone.
    ignoreActiveValue: document.activeElement.matches('input, select, textarea'),
    callbacks: {
      beforeNodeMorphed: (before) => before.dataset?.touched === undefined && !before.dataset?.fill,
      beforeNodeRemoved: (node) => !isTouched(node),
      beforeAttributeUpdated: (name, element) =>
        name !== 'style' && !(name === 'open' && element.localName === 'details'),
    },
  });
}

function isTouched(node) {
  return node.dataset?.touched !== undefined || node.querySelector?.('[data-touched]') != null;
}

/** What has to be done when there is something new on the page. */
async function settle() {
  showTimes();
  markCurrent();
  fitPictures(main);
  // What does not come is not there: the rest of the page is.
  await Promise.allSettled([...main.querySelectorAll('[data-fill]')].map(fill));
}

/** Parts that take their time come later. */
async function fill(element) {
  const response = await fetch(element.dataset.fill, { headers: { accept: 'text/html' } });
  if (!response.ok) return;
  const { scrollLeft = 0, scrollTop = 0 } = element.querySelector('.scroll') ?? {};
  // Too much to be compared bit by bit.
  element.innerHTML = await response.text();
  element.querySelector('.scroll')?.scrollTo(scrollLeft, scrollTop);
  markCurrent();
  fitPictures(element);
}

/** Times, as the reader has them. */
function showTimes() {
  for (const time of main.querySelectorAll('time:not([data-told])')) {
    time.dataset.told = '';
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = at.toLocaleString([], {
      dateStyle: 'medium',
      timeStyle: time.dataset.style ?? 'short',
    });
  }
}

/** In a picture, what is looked at. */
function markCurrent() {
  const at = new URLSearchParams(location.search);
  for (const link of main.querySelectorAll('svg a')) {
    const to = new URL(link.getAttribute('href'), location.href).searchParams;
    const isCurrent = ['step', 'edge'].some((name) => to.has(name) && to.get(name) === at.get(name));
    if (isCurrent) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

main.addEventListener('click', async (event) => {
  const zoom = event.target.closest('[data-zoom]');
  if (zoom) return zoomOf(zoom);
  const link = event.target.closest('a');
  const to = link?.getAttribute('href');
  if (!to?.startsWith('?') || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', to);
  await refresh();
  document.getElementById('detail')?.focus();
});
main.addEventListener('input', (event) => {
  const form = event.target.closest('form');
  if (form) form.dataset.touched = '';
});
main.addEventListener('change', (event) => {
  const all = event.target.closest('[data-all]');
  if (!all) return;
  for (const box of all.closest('form').querySelectorAll('input[name="question"]')) box.checked = all.checked;
});
addEventListener('popstate', refresh);

/** Browsers open few connections to one host: pages that nobody looks at have none. */
let stream;

/** Hears when there is something new, over lost connections and restarts. */
function listen() {
  stream = new EventSource(main.dataset.live);
  const own = stream;
  stream.addEventListener('news', refresh);
  stream.addEventListener('open', () => {
    main.dataset.connected = '';
    // Something may have happened since the page was made.
    refresh();
  });
  stream.addEventListener('error', () => {
    delete main.dataset.connected;
    // The browser comes again by itself, except after an answer that was no stream.
    if (own.readyState !== EventSource.CLOSED) return;
    // Somebody may have to sign in again: the page says so.
    refresh();
    setTimeout(() => own === stream && listen(), 2000);
  });
}

function look() {
  stream?.close();
  stream = undefined;
  delete main.dataset.connected;
  if (!document.hidden) listen();
}

await settle();
if (main.dataset.live) {
  if (!document.hidden) listen();
  document.addEventListener('visibilitychange', look);
}
