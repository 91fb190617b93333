import { answerByName } from './answering.ts';
import { type Command, refuse } from './command.ts';
import { COMMENT, completeAnswer, QUESTION } from './open-questions.ts';
import { firstWord } from './typed.ts';

/** `/flow answer <run> <action> [comment]`: for questions with other answers than approve and reject. */
export const answer: Command = {
  name: 'answer',
  options: [
    QUESTION,
    {
      name: 'action',
      summary: 'The answer: one of those the question offers.',
      required: true,
      completes: true,
    },
    COMMENT,
  ],
  summary: 'Gives any answer that a question offers.',
  async run(bot, caller, typed) {
    const { word: name, rest } = firstWord(typed);
    const { word: action, rest: feedback } = firstWord(rest);
    if (action === '') return refuse('Say which run and which answer, for example: answer k3x9p2m4tz again');
    return answerByName(bot, caller, { name, action, feedback });
  },
  complete: completeAnswer,
};
