import type { Command } from 'commander';
import { oneWord, parseHash } from './arguments.ts';
import type { Ask } from './ask.ts';
import { type Does, FAILED, OK, type ReadOptions, withAsk } from './carry-out.ts';
import { complain, print, printJson } from './output.ts';

/** `flowbot audit [run]` and `flowbot audit verify`. */
export function addAudit(program: Command, does: Does): void {
  const audit = program
    .command('audit')
    .description('show who asked, was asked, was refused and decided; verify tells whether that was changed')
    .argument('[run]', 'id of a run; without it, everything', oneWord)
    .option('--json', 'print a line of JSON for each entry')
    .action((run: string | undefined, { json = false }: ReadOptions) =>
      does(() => withAsk((ask) => printAudit(ask, run, json))),
    );
  audit
    .command('verify')
    .description('prove that no entry was changed, removed or put in since it was written')
    .option('--head <hash>', 'a head that was noted elsewhere: the chain must still have it', parseHash)
    .action(({ head }: { head?: string }) =>
      does(() => withAsk((ask) => verifyAudit(ask, head, audit.opts<ReadOptions>().json ?? false))),
    );
}

async function printAudit(ask: Ask, run: string | undefined, json: boolean): Promise<number> {
  const { exportLine, readableLine, readAudit } = await import('./audit.ts');
  const count = await readAudit(ask, run, (link) => {
    print(json ? exportLine(link) : readableLine(link));
    // A reader such as `head` may have seen enough.
    return process.stdout.writable;
  });
  if (count > 0 || json) return OK;
  complain(run === undefined ? 'The audit is empty.' : `The audit has no run ${run}.`);
  return run === undefined ? OK : FAILED;
}

async function verifyAudit(ask: Ask, head: string | undefined, json: boolean): Promise<number> {
  const { verdictText, verify } = await import('./audit.ts');
  const verdict = await verify(ask, head);
  const ok = verdict.kind === 'sound';
  if (!json) print(verdictText(verdict));
  else if (ok) printJson({ ok, count: verdict.head.count, head: verdict.head.hash });
  else printJson({ ok, n: verdict.n, why: verdict.why });
  return ok ? OK : FAILED;
}
