import type { Command } from 'commander';
import type { JsonObject } from '../engine/json.ts';
import { oneWord, parseObject } from './arguments.ts';
import { change, type Does } from './carry-out.ts';

/** `flowbot approve`, `reject` and `answer`. */
export function addAnswers(program: Command, does: Does): void {
  const answers = (named: Command): Command =>
    named
      .argument('[comment...]', 'goes along with the answer')
      .option('--values <json>', 'what the form of the question asks for, as a JSON object', parseObject);
  const give = (name: string, action: string, comment: readonly string[], { values }: AnswerOptions) =>
    does(() =>
      change({ kind: 'answer', name, action, feedback: comment.join(' '), ...(values && { values }) }),
    );
  const whose = 'id of the run, or of one of its questions';
  for (const verb of ['approve', 'reject']) {
    const command = program.command(verb).description(`${verb} what a run waits for`);
    answers(command.argument('<run>', whose, oneWord)).action(
      (run: string, comment: string[], options: AnswerOptions) => give(run, verb, comment, options),
    );
  }
  const command = program.command('answer').description('give any answer that a question offers');
  answers(command.argument('<run>', whose, oneWord).argument('<action>', 'id of the answer', oneWord)).action(
    (run: string, action: string, comment: string[], options: AnswerOptions) =>
      give(run, action, comment, options),
  );
}

interface AnswerOptions {
  readonly values?: JsonObject;
}
