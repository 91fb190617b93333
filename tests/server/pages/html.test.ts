import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exact, html, markup } from '../../../src/server/pages/html.ts';
import { prose } from '../../../src/server/pages/prose.ts';

/** Texts that have run as code in other people's pages. */
const CORPUS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</textarea><script>alert(1)</script>',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '[a](vbscript:x)',
  '<javascript:alert(1)>',
  '![a](javascript:alert(1))',
  '![a"onerror="alert(1)](https://example.com/x.png)',
  '[a](https://example.com/"onclick="alert(1))',
  '[a]: javascript:alert(1)\n\n[a]',
  '`<b>`\n\n```html\n<script>alert(1)</script>\n```',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)',
  '<!--><script>alert(1)</script>-->',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
];

/** The only tags that texts of others may be shown in. */
const allowed =
  /^<\/?(?:div|p|strong|em|del|code|pre|br|hr|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|a|span|time)(?: (?:class|tabindex|role|aria-label|href|rel|start|scope|datetime)="[^"<>]*")*>$/;

function tagsOf(page: string): readonly string[] {
  return page.match(/<[^>]*>?/g) ?? [];
}

describe('a page', () => {
  test.each(CORPUS)('shows %j as text, also in an attribute', (text) => {
    const page = String(html`<p title="${text}">${text}</p>`);
    expect(tagsOf(page)).toHaveLength(2);
    expect(page).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
    expect(String(exact(text))).not.toMatch(/[<>"]/);
  });

  test('whatever a text is, it makes no markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(String(html`<p title="${text}">${[text, [text]]}</p>`)).toMatch(
          /^<p title="[^"<>]*">[^<>]*<\/p>$/,
        );
      }),
    );
  });

  test('signs that turn the words around them are left out, but not of what is edited', () => {
    const text = 'abc\u202edef\u2066';
    expect(String(html`${text}`)).toBe('abcdef');
    expect(String(exact(text))).toBe(text);
  });

  test('markup stays markup, and what is not there is nothing', () => {
    expect(String(html`${html`<b>${1}</b>`}${false}${null}${undefined}${[markup('<i></i>')]}`)).toBe(
      '<b>1</b><i></i>',
    );
  });
});

describe('Markdown on a page', () => {
  test.each(CORPUS)('%j has nothing in it that runs', (text) => {
    for (const tag of tagsOf(String(prose(text)))) expect(tag).toMatch(allowed);
    expect(String(prose(text))).not.toMatch(/href="(?!https?:|mailto:)/i);
  });

  test('whatever it is, only known tags come of it, and links lead to the web', () => {
    const part = fc.oneof(
      fc.constantFrom(...CORPUS, '**', '_', '`', '\n', '> ', '- ', '1. ', '# ', '|', '[', '](', ')'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const page = String(prose(parts.join('')));
        for (const tag of tagsOf(page)) expect(tag).toMatch(allowed);
        expect(page).not.toMatch(/href="(?!https?:|mailto:)/i);
      }),
    );
  });

  test('is formatted', () => {
    expect(
      String(
        prose(
          '**a** _b_ ~~c~~ `d`  \n[e](https://example.com/)\n\n> f\n\n1. g\n\n- [x] h\n\n```\ni\n```\n\n---',
        ),
      ),
    ).toBe(
      '<div class="prose"><p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code><br><a href="https://example.com/" rel="noopener noreferrer">e</a></p><blockquote><p>f</p></blockquote><ol start="1"><li><p>g</p></li></ol><ul><li>☑ <p>h</p></li></ul><pre tabindex="0" role="group" aria-label="Text"><code>i</code></pre><hr></div>',
    );
  });
});
