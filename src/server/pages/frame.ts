import type { Visitor } from '../../commands/visitor.ts';
import { type Content, type Html, html } from './html.ts';
import type { Shown } from './page.ts';

/** What stands around every page. */
export interface Surroundings {
  /** Where the files of pages are: `/assets/1f2e3d4c`. */
  readonly assets: string;
  /** The address that was asked for, without its host. */
  readonly path: string;
  /** Absent = nobody is in. */
  readonly visitor?: Visitor;
  /** They have signed in, and can sign out. */
  readonly canLeave: boolean;
  /** Questions that wait for the visitor. */
  readonly waiting: number;
  /** The playground is the chat. */
  readonly hasPlayground: boolean;
  readonly version: string;
}

/** Where the pages are, as every page shows them. */
const NAVIGATION = [
  ['/', 'Home'],
  ['/runs', 'Runs'],
  ['/questions', 'Questions'],
  ['/flows', 'Flows'],
  ['/schedules', 'Schedules'],
  ['/agents', 'Agents'],
  ['/audit', 'Audit'],
  ['/api', 'API'],
] as const;

/** A whole page. */
export function framed({ title, main, live }: Shown, around: Surroundings): Html {
  const { assets, visitor } = around;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Flowbot</title>
<link rel="icon" href="${assets}/icon.svg">
<link rel="stylesheet" href="${assets}/picture.css">
<link rel="stylesheet" href="${assets}/style.css">
<script src="${assets}/idiomorph.js" defer></script>
<script src="${assets}/page.js" type="module"></script>
</head>
<body>
<a class="skip" href="#main">Go to the content</a>
<header class="top">
<a class="brand" href="/"><img src="${assets}/icon.svg" alt="" width="24" height="24"> Flowbot</a>
${visitor && navigation(around)}
${visitor && who(visitor, around.canLeave)}
</header>
<main id="main" tabindex="-1"${live ? html` data-live="${liveAt(live)}"` : ''}>
${main}
</main>
<footer>Flowbot ${around.version}</footer>
</body>
</html>`;
}

function liveAt(live: NonNullable<Shown['live']>): string {
  return live === 'any' ? '/live' : `/live?run=${encodeURIComponent(live.run)}`;
}

function navigation({ path, waiting, hasPlayground }: Surroundings): Html {
  const links = NAVIGATION.map(([to, name]) => {
    const count = name === 'Questions' && waiting > 0 && html` <span class="count">${waiting}</span>`;
    return html`<li><a href="${to}"${current(path, to)}>${name}${count}</a></li>`;
  });
  const playground = hasPlayground && html`<li><a href="/playground/">Playground</a></li>`;
  return html`<nav aria-label="Pages" id="pages"><ul>${links}${playground}</ul></nav>`;
}

function current(path: string, to: string): Content {
  const [own = ''] = path.split('?');
  const isCurrent = to === '/' ? own === '/' : own === to || own.startsWith(`${to}/`);
  return isCurrent && html` aria-current="page"`;
}

function who({ person }: Visitor, canLeave: boolean): Html {
  const leave =
    canLeave && html`<form method="post" action="/logout"><button class="quiet">Sign out</button></form>`;
  return html`<div class="who"><span>${person.name}</span>${leave}</div>`;
}
