import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { visibleQuestions } from './answering.ts';
import { say } from './bot.ts';
import type { Command } from './command.ts';

/** Most questions listed; the data of the command line has all. */
const LISTED_MAX = 20;

/** `/flow approvals`: open questions of this conversation, and those that name you. */
export const approvals: Command = {
  name: 'approvals',
  options: [],
  summary: 'Lists the open questions here and those that wait for you.',
  looksOnly: true,
  async run(bot, caller) {
    const questions = await visibleQuestions(bot, caller);
    const left = questions.length - LISTED_MAX;
    const lines = questions
      .slice(0, LISTED_MAX)
      .flatMap((question): ProsePiece[] => [
        md(`- \`${question.id}\` `),
        literal(question.title),
        md(' ('),
        literal(question.flow),
        md(question.isTheirs ? '), waits for you\n' : ')\n'),
      ]);
    return {
      ok: true,
      content:
        lines.length === 0
          ? say(md('Nothing waits for an answer here.'))
          : say(...lines, ...(left > 0 ? [md(`- … and ${left} more\n`)] : [])),
      data: questions.map((question) => ({
        id: question.id,
        run: question.run,
        flow: question.flow,
        title: question.title,
        approvers: question.approvers ? [...question.approvers] : null,
        openedAt: new Date(question.openedAtMs).toISOString(),
      })),
    };
  },
};
