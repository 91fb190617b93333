import { randomIds } from '../adapters/system/ids.ts';
import { answerByName } from '../commands/answering.ts';
import type { Bot, Caller } from '../commands/bot.ts';
import { type Reply, refuse } from '../commands/command.ts';
import { whatIsWrong } from '../commands/conversation.ts';
import { findFlow, isManual, wishOfCommand } from '../commands/run.ts';
import { startedReply } from '../commands/run-actions.ts';
import { startFlow } from '../commands/start-flow.ts';
import { runChatCommand } from '../commands/table.ts';
import type { Json } from '../engine/json.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { Store } from '../ports/store.ts';
import { journalText } from './journal.ts';
import { showPicture } from './picture.ts';
import { showPrompts } from './prompt.ts';
import type { CliAnswer, CliCommand, CliRequest } from './protocol.ts';
import { asAnswer } from './reply.ts';

/** Does what the command line asks, by the rules of the chat commands. */
export async function answerRequest(bot: Bot, request: CliRequest): Promise<CliAnswer> {
  try {
    return await answerTo(bot, request);
  } catch (error) {
    if (!(error instanceof ChatUnavailable)) throw error;
    return asAnswer(refuse("A chat that this needs can't be reached at the moment: try again later."));
  }
}

async function answerTo(bot: Bot, request: CliRequest): Promise<CliAnswer> {
  const { person, event, command } = request;
  const caller = { person, event, atMs: bot.clock.now() };
  switch (command.kind) {
    case 'chat':
      return asAnswer(await runChatCommand(bot, caller, command.text));
    case 'run':
      return asAnswer(await runFlow(bot, caller, command));
    case 'answer': {
      const { name, action, feedback, values } = command;
      return asAnswer(await answerByName(bot, caller, { name, action, feedback, ...(values && { values }) }));
    }
    case 'show': {
      const flow = findFlow(bot, command.run.toLowerCase());
      if (flow) return asAnswer(await runChatCommand(bot, caller, `show ${flow.id}`));
      const answer = asAnswer(await runChatCommand(bot, caller, `status ${command.run}`));
      if (!answer.ok) return answer;
      const journal = await bot.store.journal(command.run);
      // A flow has none.
      if (journal.length === 0) return answer;
      return { ...answer, text: `${answer.text}\n\nJournal (UTC):\n${journalText(journal)}` };
    }
    case 'picture':
      return showPicture(bot, caller, command);
    case 'prompt':
      return showPrompts(bot, caller, command, () => randomIds.next() + randomIds.next());
    case 'audit':
      return { ok: true, text: '', data: await stretchOf(bot.store, command) };
  }
}

/** The head first: the chain may grow, but never ends before it. */
async function stretchOf(
  store: Store,
  { run, afterN, limit }: Extract<CliCommand, { kind: 'audit' }>,
): Promise<Json> {
  const head = await store.auditHead();
  const links = await store.audit({
    limit,
    ...(run !== undefined && { run }),
    ...(afterN !== undefined && { afterN }),
  });
  return {
    head: head ? { count: head.count, hash: head.hash } : null,
    links: links.map(({ n, hash, text }) => ({ n, hash, text })),
  };
}

async function runFlow(
  bot: Bot,
  caller: Caller,
  command: Extract<CliCommand, { kind: 'run' }>,
): Promise<Reply> {
  const { prompt, input } = command;
  const flow = findFlow(bot, command.flow.toLowerCase());
  // All but the input is as in a chat, what is refused too.
  if (!input || !flow || !isManual(flow)) return runChatCommand(bot, caller, `run ${command.flow} ${prompt}`);
  const wish = wishOfCommand(caller, prompt, flow);
  const result = await startFlow(bot, { flow, caller, data: input, ...wish });
  switch (result.kind) {
    case 'started':
      return startedReply(result);
    case 'refused':
      return refuse(result.why);
    case 'incomplete':
      return refuse(
        `${flow.plan.name} can't start like this: ${whatIsWrong(result.missing, result.problems)}`,
      );
  }
}
