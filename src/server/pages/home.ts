import { html } from './html.ts';
import { type Page, page, show } from './page.ts';

const home = page({
  method: 'GET',
  path: '/',
  access: 'viewer',
  async run() {
    return show({ title: 'Home', main: html`<h1>Home</h1>`, live: 'any' });
  },
});

export const homePages: readonly Page[] = [home];
