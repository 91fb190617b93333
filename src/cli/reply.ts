import type { Reply } from '../commands/command.ts';
import { proseText } from '../render/markdown/index.ts';
import type { CliAnswer } from './protocol.ts';

/** What a chat command answers, as the command line has it. */
export function asAnswer(reply: Reply): CliAnswer {
  return { ok: reply.ok, text: proseText(reply.content.prose), data: reply.data ?? null };
}
