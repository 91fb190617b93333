import type { FastifyInstance } from 'fastify';
import type { Bot } from '../../commands/bot.ts';
import { openMax } from '../../commands/open-questions.ts';
import { OPEN_STATUSES } from '../../engine/run/state.ts';
import type { Door } from '../access/door.ts';
import { sendProblem } from '../problem.ts';
import type { Figures } from './figures.ts';

/** Adds `GET /metrics` for Prometheus: for whoever sits at this machine while nobody needs a token, else for any token. */
export function addMetricsRoute(
  app: FastifyInstance,
  { bot, door, figures }: { readonly bot: Bot; readonly door: Door; readonly figures: Figures },
): void {
  app.get('/metrics', { config: { fromAnywhere: true } }, async (request, reply) => {
    const entry = await door.admit(request);
    if (!entry.ok) return sendProblem(reply, entry.problem);
    await lookAround(bot, figures);
    return reply.type(figures.registry.contentType).send(await figures.registry.metrics());
  });
}

/** What is asked for only when somebody looks. */
async function lookAround({ store, chats }: Bot, figures: Figures): Promise<void> {
  const [questions, posts, events, ...runs] = await Promise.all([
    store.openQuestions(openMax),
    store.pendingPosts(),
    store.undelivered(),
    ...OPEN_STATUSES.map((status) => store.runs({ statuses: [status] })),
  ]);
  figures.questionsOpen.set(questions.length);
  figures.postsWaiting.set(posts.length);
  figures.eventsWaiting.set(events.length);
  for (const [index, status] of OPEN_STATUSES.entries()) {
    figures.runsOpen.set({ status }, runs[index]?.length ?? 0);
  }
  for (const { platform, health } of chats.values()) {
    figures.chatUp.set({ platform }, health().kind === 'up' ? 1 : 0);
  }
}
