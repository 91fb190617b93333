import { z } from 'zod';
import { isAdmin } from '../../commands/bot.ts';
import { auditWords } from '../../engine/audit/words.ts';
import type { Json } from '../../engine/json.ts';
import { failed } from '../problem.ts';
import { type AuditPart, type AuditWish, type CheckedLink, OF_RUN_MAX, readPart } from './audit-part.ts';
import { type Content, exact, html } from './html.ts';
import { type Page, page, show, wrong } from './page.ts';
import { alert, details, facts, jsonText, longText, moment, pathOf, table, to } from './parts.ts';

const auditPage = page({
  method: 'GET',
  path: '/audit',
  access: 'admin',
  query: z.object({
    run: z.string().default(''),
    before: z.coerce.number().int().min(1).optional(),
  }),
  async run({ bot, sight, query }) {
    if (!isAdmin(bot, await sight.callerAt(undefined))) {
      return wrong(failed('not-allowed', 'Only admins may read the audit.').problem);
    }
    const { run, before } = query;
    const wish: AuditWish = { before, ...(run !== '' && { run }) };
    const part = await readPart(bot.store, wish);
    const { head, links, older } = part;
    return show({
      title: 'Audit',
      main: html`<h1>Audit</h1>
<p class="soft">Who asked, was asked, was refused and decided, the newest first. Each entry’s hash covers the one before it.</p>
${alert(whatIsWrong(part))}
${facts([
  ['Entries', head?.count.toLocaleString('en')],
  ['Hash of the last one', head && html`<code>${head.hash}</code>`],
])}
${whatHolds(part, wish)}
<form method="get" action="/audit" class="filters"><div><label for="run">Only of the run</label><input id="run" name="run" value="${exact(run)}"></div><div><button>Show</button></div></form>
${table(
  'Entries',
  ['No.', 'When', 'What', 'About', 'Details'],
  links.toReversed().map(line),
  'There are no entries.',
)}
${older !== undefined && html`<p>${to(`/audit?${new URLSearchParams({ ...(run !== '' && { run }), before: String(older) })}`, 'Older entries')}</p>`}
${run !== '' && html`<p class="soft">Of a run, this page has the newest ${OF_RUN_MAX.toLocaleString('en')} entries. All of them, on the host: <code>flowbot audit ${run}</code></p>`}`,
    });
  },
});

function whatIsWrong({ links, fault }: AuditPart): string | undefined {
  const changed = links.filter((link) => link.fault !== undefined).map(({ n }) => n);
  const sentences = [
    changed.length > 0 && `Somebody has changed it at ${changed.join(', ')}, as is said there.`,
    fault,
  ].filter((sentence) => typeof sentence === 'string');
  return sentences.length > 0 ? `This is not what was written. ${sentences.join(' ')}` : undefined;
}

/** What was looked at, where nothing is wrong with it. */
function whatHolds(part: AuditPart, { run, before }: AuditWish): Content {
  const { links } = part;
  if (whatIsWrong(part) !== undefined || links.length === 0) return undefined;
  const isEnd = run === undefined && before === undefined;
  const entries = links.length === 1 ? 'The entry here follows' : `The ${links.length} entries here follow`;
  return html`<p>${entries} from the one before each${isEnd && ', and the last one is the one that was recorded'}. All of the chain is checked by <code>flowbot audit verify</code> on the host.</p>`;
}

function line({ n, hash, text, entry, fault }: CheckedLink): readonly Content[] {
  const whole: Json | undefined = entry && JSON.parse(JSON.stringify(entry));
  const { atMs, about } = readable.parse(entry ?? {});
  return [
    n,
    atMs !== undefined && moment(atMs),
    html`<div class="asked">${fault !== undefined && html`<p class="fault"><strong>Changed:</strong> ${fault}</p>`}${auditWords(entry)}</div>`,
    html`<ul class="bare">${about.map((link) => html`<li>${link}</li>`)}</ul>`,
    details(
      'All of it',
      html`<p>Hash: <code>${hash}</code></p>${whole !== undefined && jsonText(whole, `Entry ${n}`)}${(whole === undefined || fault !== undefined) && longText(text, `Entry ${n} as it is stored`)}`,
    ),
  ];
}

/** Furthest from 1970 that a time can be, in milliseconds. */
const FURTHEST_MS = 8_640_000_000_000_000;

const id = z
  .string()
  .transform((given) => given.toWellFormed())
  .optional()
  .catch(undefined);

/** What the page needs of an entry. Somebody may have made something else of it. */
const readable = z
  .object({
    atMs: z.number().min(-FURTHEST_MS).max(FURTHEST_MS).optional().catch(undefined),
    run: id,
    question: id,
    flow: id,
    what: z.object({ flow: id }).optional().catch(undefined),
  })
  .catch({})
  .transform(({ atMs, run, question, what, flow = what?.flow }) => ({
    atMs,
    about: [
      run !== undefined && html`Run ${to(pathOf('runs', run), html`<code>${run}</code>`)}`,
      question !== undefined &&
        html`Question ${to(pathOf('questions', question), html`<code>${question}</code>`)}`,
      flow !== undefined && html`Flow ${to(pathOf('flows', flow), flow)}`,
    ].filter((link) => link !== false),
  }));

export const auditPages: readonly Page[] = [auditPage];
