import { literal, md, type Prose } from '../engine/prose.ts';
import { type Bot, type Caller, isAdmin, say } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { matching, wordCompletion } from './completing.ts';
import { placeAmongLanes } from './lanes.ts';
import { everyQuestion, type VisibleQuestion, visibleQuestions } from './open-questions.ts';
import { howFar, isWaitedFor } from './question-progress.ts';
import { shown, words } from './typed.ts';

/** Most questions listed; the data of the command line has all. */
const LISTED_MAX = 20;

/** `/flow approvals [mine|all]`: open questions of this conversation, and those that name you. */
export const approvals: Command = {
  name: 'approvals',
  options: [
    {
      name: 'which',
      summary: 'mine: only those that wait for you; all: those of every conversation (admins).',
      required: false,
      completes: true,
    },
  ],
  summary: 'Lists the open questions here and those that wait for you.',
  looksOnly: true,
  async run(bot, caller, typed) {
    const [which] = words(typed);
    switch (which) {
      case undefined:
        return listed(bot, caller, await visibleQuestions(bot, caller), 'Nothing waits for an answer here.');
      case 'mine': {
        const questions = await visibleQuestions(bot, caller);
        const theirs = questions.filter(({ isTheirs }) => isTheirs);
        return listed(bot, caller, theirs, 'Nothing waits for your answer.');
      }
      case 'all':
        if (!isAdmin(bot, caller)) return refuse('Only admins may list the questions of every conversation.');
        if (caller.isOverheard) {
          return refuse(`Everybody here would see them: type ${bot.settings.command} approvals all.`);
        }
        return listed(bot, caller, await everyQuestion(bot, caller), 'Nothing waits for an answer.');
      default:
        return refuse(
          `“${shown(which)}” is no list of questions: there are mine and all, or nothing for here.`,
        );
    }
  },
  async complete(bot, caller, typed) {
    const lists = isAdmin(bot, caller) ? ['mine', 'all'] : ['mine'];
    return matching(typed, lists.map(wordCompletion));
  },
};

/** What waits for the caller comes first. */
async function listed(
  bot: Bot,
  caller: Caller,
  questions: readonly VisibleQuestion[],
  none: string,
): ReturnType<Command['run']> {
  const lines = await Promise.all(
    theirsFirst(questions)
      .slice(0, LISTED_MAX)
      .map((question) => line(bot, caller, question)),
  );
  const ordered = [...lines.filter(({ waits }) => waits), ...lines.filter(({ waits }) => !waits)];
  const left = questions.length - lines.length;
  return {
    ok: true,
    content:
      lines.length === 0
        ? say(md(none))
        : say(...ordered.flatMap(({ prose }) => prose), ...(left > 0 ? [md(`- … and ${left} more\n`)] : [])),
    data: questions.map(({ id, run, flow, title, approvers, openedAtMs, expiresAtMs }) => ({
      id,
      run,
      flow,
      title,
      approvers: approvers ? [...approvers] : null,
      openedAt: new Date(openedAtMs).toISOString(),
      expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    })),
  };
}

function theirsFirst(questions: readonly VisibleQuestion[]): readonly VisibleQuestion[] {
  return questions.toSorted((one, other) => Number(other.isTheirs) - Number(one.isTheirs));
}

async function line(
  bot: Bot,
  caller: Caller,
  { id, run, flow, title, isTheirs }: VisibleQuestion,
): Promise<{ readonly prose: Prose; readonly waits: boolean }> {
  const state = (await bot.store.run(run))?.state;
  const question = state?.questions[id];
  const lane = state && (await placeAmongLanes(bot, state.start));
  const waits = isTheirs && question !== undefined && isWaitedFor(bot, question, caller.person);
  const prose = [
    md(`- \`${id}\` `),
    literal(title),
    md(' ('),
    literal(lane ? `${flow}, ${lane}` : flow),
    md(waits ? '), waits for you' : ')'),
    ...(question ? howFar(question, waits) : []),
    md('\n'),
  ];
  return { prose, waits };
}
