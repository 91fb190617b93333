import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isAdmin } from '../../commands/bot.ts';
import { linkText } from '../../engine/audit/chain.ts';
import { auditWords } from '../../engine/audit/words.ts';
import type { Json } from '../../engine/json.ts';
import type { StoredAudit } from '../../ports/store.ts';
import { failed } from '../problem.ts';
import { type Content, html } from './html.ts';
import { type Page, page, show, wrong } from './page.ts';
import { details, facts, jsonText, longText, moment, pathOf, table, to } from './parts.ts';

/** Entries on one page. */
const LISTED = 100;

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
    // The head first: the chain may grow, but never ends before it.
    const head = await bot.store.auditHead();
    const links = await bot.store.audit(
      run === ''
        ? { limit: LISTED, ...(before === undefined ? { newest: true } : stretchBefore(before)) }
        : { run, limit: RUN_MAX, newest: true },
    );
    const first = links[0]?.n ?? 1;
    return show({
      title: 'Audit',
      main: html`<h1>Audit</h1>
<p class="soft">Who asked, was asked, was refused and decided. Each entry’s hash covers the one before it; <code>flowbot audit --verify</code> on the host checks all of it.</p>
${facts([
  ['Entries', head?.count ?? 0],
  ['Hash of the last one', head && html`<code>${head.hash}</code>`],
  ['These entries', run === '' && links.length > 1 && chainWords(links)],
])}
<form method="get" action="/audit" class="filters"><div><label for="run">Only of the run</label><input id="run" name="run" value="${run}"></div><div><button>Show</button></div></form>
${table('Entries', ['No.', 'When', 'Run', 'What', 'Details'], links.toReversed().map(line), 'There are no entries.')}
${run === '' && first > 1 && html`<p>${to(`/audit?before=${first}`, 'Older entries')}</p>`}`,
    });
  },
});

/** Most entries of one run: the newest. */
const RUN_MAX = 1_000;

function stretchBefore(before: number): { readonly afterN: number; readonly limit: number } {
  const afterN = Math.max(0, before - 1 - LISTED);
  return { afterN, limit: before - 1 - afterN };
}

function line({ n, hash, text, entry }: StoredAudit): readonly Content[] {
  const whole: Json | undefined = entry && JSON.parse(JSON.stringify(entry));
  const run = entry && 'run' in entry && typeof entry.run === 'string' ? entry.run : undefined;
  return [
    n,
    entry && Number.isFinite(entry.atMs) && moment(entry.atMs),
    run !== undefined && to(pathOf('runs', run), html`<code>${run}</code>`),
    auditWords(entry),
    details(
      'All of it',
      html`<p>Hash: <code>${hash}</code></p>${whole === undefined ? longText(text, 'Entry') : jsonText(whole, 'Entry')}`,
    ),
  ];
}

/** Whether entries that stand next to each other follow from each other. */
function chainWords(links: readonly StoredAudit[]): string {
  const broken = links.find((link, index) => {
    const before = links[index - 1];
    return before && (link.n !== before.n + 1 || link.hash !== hashOf(before.hash, link));
  });
  return broken
    ? `do not hold together at ${broken.n}: somebody has changed the audit`
    : `hold together, from ${links[0]?.n} to ${links.at(-1)?.n}`;
}

function hashOf(before: string, { n, text }: StoredAudit): string {
  return createHash('sha256')
    .update(linkText(before, n, text))
    .digest('hex');
}

export const auditPages: readonly Page[] = [auditPage];
