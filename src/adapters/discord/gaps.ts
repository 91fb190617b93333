import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';

/** Finds out from what Discord tells what it may not have told: in a new session, and of servers that were not there. */
export interface Gaps {
  /** @param heardMs until when the last process heard Discord (epoch ms); undefined = there was none */
  begin(heardMs: number | undefined): void;
  /** Discord told something over one of the connections. */
  heard(packet: Pick<GatewayDispatchPayload, 't' | 'd'>, shard: number): void;
  /** Since when nothing is told of some server (epoch ms); undefined = all are there. */
  readonly openSinceMs: number | undefined;
}

/** Discord tells direct messages over this connection only. */
const directShard = 0;

const readyShape = z.object({ guilds: z.array(z.object({ id: z.string() })) });
const guildShape = z.object({ id: z.string(), unavailable: z.boolean().default(false) });

/** Makes it. @param onGap what was told since then about a server may be lost; undefined = of direct conversations */
export function createGaps({
  clock,
  onGap,
}: {
  readonly clock: Clock;
  readonly onGap: (sinceMs: number, server: string | undefined) => void;
}): Gaps {
  let beforeMs: number | undefined;
  /** When each connection last told something (epoch ms). */
  const heardMs = new Map<number, number>();
  /** Servers of which nothing is told, since when (epoch ms). */
  const awayMs = new Map<string, number>();

  function onReady(d: unknown, sinceMs: number | undefined, shard: number): void {
    if (sinceMs === undefined) return;
    for (const { id } of readyShape.safeParse(d).data?.guilds ?? []) {
      awayMs.set(id, Math.min(sinceMs, awayMs.get(id) ?? sinceMs));
    }
    if (shard === directShard) onGap(sinceMs, undefined);
  }

  function onBack(d: unknown): void {
    const id = guildShape.safeParse(d).data?.id ?? '';
    const sinceMs = awayMs.get(id);
    if (sinceMs === undefined) return;
    awayMs.delete(id);
    onGap(sinceMs, id);
  }

  function onAway(d: unknown): void {
    const guild = guildShape.safeParse(d).data;
    if (guild?.unavailable) awayMs.set(guild.id, awayMs.get(guild.id) ?? clock.now());
    else if (guild) awayMs.delete(guild.id);
  }

  return {
    begin(ms) {
      beforeMs = ms;
    },
    heard({ t, d }, shard) {
      const lastMs = heardMs.get(shard) ?? beforeMs;
      heardMs.set(shard, clock.now());
      switch (t) {
        case GatewayDispatchEvents.Ready:
          return onReady(d, lastMs, shard);
        case GatewayDispatchEvents.GuildCreate:
          return onBack(d);
        case GatewayDispatchEvents.GuildDelete:
          return onAway(d);
        default:
      }
    },
    get openSinceMs() {
      return awayMs.size === 0 ? undefined : Math.min(...awayMs.values());
    },
  };
}
