import { get, type Heard, send, server } from '../api/serving.ts';

/** Opens a page, as a browser does. */
export function visit(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Heard> {
  return get(path, { accept: 'text/html', ...headers });
}

/** Sends a form of a page. */
export function submit(
  path: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) form.append(name, one);
  }
  const own = {
    accept: 'text/html',
    origin: server.url,
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  };
  return send('POST', path, own, form.toString());
}

/** What a page says, without its markup. */
export function wordsOf({ text }: Heard): string {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(text)?.[1] ?? text;
  return main
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
