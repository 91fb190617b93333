import type { FastifyInstance } from 'fastify';
import type { Chat } from '../ports/chat.ts';

/**
 * Adds `GET /healthz` (the process answers) and `GET /readyz` (all chats are connected; else 503 with the reasons).
 */
export function addHealthRoutes(app: FastifyInstance, chats: readonly Chat[]): void {
  const options = { config: { fromAnywhere: true } };
  app.get('/healthz', options, async () => ({ ok: true }));
  app.get('/readyz', options, async (_request, reply) => {
    const down = chats.flatMap((chat) => {
      const health = chat.health();
      return health.kind === 'up' ? [] : [{ platform: chat.platform, why: health.why }];
    });
    if (down.length > 0) reply.code(503);
    return { ok: down.length === 0, down };
  });
}
