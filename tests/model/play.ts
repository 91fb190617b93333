import { parseActionId } from '../../src/commands/action-ids.ts';
import { personAddress } from '../../src/engine/people.ts';
import type { Act, Answering } from './acts.ts';
import type { Cast, Circumstances, Player } from './cast.ts';
import { checkShown, checkState, createFollower } from './checks.ts';
import { createDeeds, type Deed, pick } from './deeds.ts';
import { createRecord } from './record.ts';
import { type Asked, deadlineOf, reminderDueMs } from './rules.ts';
import type { Settings } from './settings.ts';
import { checkTold, isKept } from './told.ts';
import type { World } from './world.ts';

/** Lets things happen, and checks after each of them what must be so. */
export interface Play {
  /** What happened so far, a sentence each. */
  readonly lines: readonly string[];
  act(act: Act): Promise<void>;
}

/** A world with a model beside it. */
export interface Stage {
  readonly world: World;
  readonly cast: Cast;
  readonly settings: Settings;
  readonly first: Circumstances;
  /** Makes platforms believe what has changed about people; absent = nothing changes there. */
  readonly tell?: (now: Circumstances) => void;
  /** What is pressed while a process dies is not brought to the next one: people see that it failed. */
  readonly isForgetful?: true;
}

/** Runs at the same time, at most. */
const RUNS_MAX = 3;
const TWO_MINUTES_MS = 120_000;

/** Begins to play. */
export function createPlay({ world, cast, settings, first, tell, isForgetful }: Stage): Play {
  const lines: string[] = [];
  const record = createRecord(cast, settings, first, world.nowMs);
  const follower = createFollower(world, record);
  const deeds = createDeeds(world, cast, record);
  const deleted = new Set<string>();
  let circumstances = first;

  const chatters = cast.players.filter(({ here }) => here);

  async function heard(player: Player): Promise<readonly string[]> {
    if (!player.here) return deeds.hostHeard;
    const told = await world.side(player.person.platform).platform.privates(player.person);
    return told.map(({ text }) => text);
  }

  /** Lets people do these things at once, and checks what each of them is told. */
  async function perform(acts: readonly Answering[]): Promise<void> {
    const done: Deed[] = [];
    for (const act of acts) {
      const deed = await deeds.deedOf(act);
      // Nobody does two things with one form, nor at the very same instant.
      if (deed && !done.some(({ player }) => player === deed.player)) done.push(deed);
      else if (deed?.attempt) record.attempts.splice(record.attempts.indexOf(deed.attempt), 1);
    }
    if (done.length === 0) return;
    lines.push(done.map(({ line }) => line).join('; at the same time '));
    const before = new Map<Player, number>();
    for (const player of cast.players) before.set(player, (await heard(player)).length);
    const deaths = world.deaths();
    if (world.trouble.exists()) record.doubt();
    await world.unlessDead(Promise.all(done.map((deed) => deed.act())));
    await settle(deaths);
    const hasDied = world.deaths() > deaths;
    for (const player of cast.players) {
      const news = (await heard(player)).slice(before.get(player));
      const deed = done.find((one) => one.player === player);
      checkTold(player, deed?.attempt, news, hasDied, deed !== undefined);
    }
  }

  /** Whatever is left of what people did has come to nothing. */
  async function settle(deaths: number): Promise<void> {
    await world.rest();
    const hasDied = world.deaths() > deaths;
    for (const attempt of record.attempts) attempt.sawDeath ||= hasDied;
    await follow();
    if ((await world.store.undelivered()).length > 0) return;
    for (const attempt of record.attempts) {
      if (attempt.outcome !== 'pending') continue;
      const { player, question, action } = attempt;
      const form = player.here && (await world.side(player.person.platform).platform.form(player.person));
      const id = form && parseActionId(form.id);
      const isOpen = id?.kind === 'answer' && id.question === question && id.action === action;
      if (attempt.opensForm && isOpen) attempt.outcome = 'form';
      else if (attempt.possible.has('unfit')) attempt.outcome = 'unfit';
      else if (attempt.sawDeath && (isForgetful || attempt.opensForm || !player.here))
        attempt.outcome = 'lost';
      else {
        const verdicts = [...attempt.possible].join(', ');
        throw new Error(`Nothing came of what ${player.name} did, which is “${verdicts}”.`);
      }
    }
  }

  async function follow(): Promise<void> {
    await follower.follow();
    await checkState(world, record, settings);
    await deeds.lookAtCards();
  }

  function change(next: Circumstances): void {
    circumstances = next;
    tell?.(next);
    record.change(next);
  }

  async function until(due: Extract<Act, { kind: 'until' }>['due'], andMs: number): Promise<void> {
    const times = [...record.runs.values()].flatMap((run) =>
      run.asked.filter(({ state }) => state === 'open').map((one) => dueAt(due, one)),
    );
    const next = Math.min(...times.filter((atMs) => atMs + andMs > world.nowMs()));
    if (!Number.isFinite(next)) return;
    lines.push(`Time passes until ${andMs} ms after it is time to ${due}`);
    await world.pass(next + andMs - world.nowMs());
  }

  function dueAt(due: 'remind' | 'escalate' | 'expire', one: Asked): number {
    const { escalateAfterMs = Number.POSITIVE_INFINITY } = settings;
    switch (due) {
      case 'remind':
        return reminderDueMs(settings, one);
      case 'escalate':
        return one.openedAtMs + escalateAfterMs;
      case 'expire':
        return deadlineOf(settings, one);
    }
  }

  async function happen(act: Exclude<Act, Answering | { kind: 'together' }>): Promise<void> {
    switch (act.kind) {
      case 'start': {
        const player = pick(chatters, act.who);
        if (!player?.here || record.runs.size >= RUNS_MAX) return;
        lines.push(`${player.name} starts a run`);
        await world.unlessDead(
          world.side(player.person.platform).platform.say(player.person, player.here, '!ask'),
        );
        return;
      }
      case 'wait':
        lines.push(`${inMinutes(act.forMs)} pass`);
        return world.pass(act.forMs);
      case 'until':
        return until(act.due, act.andMs);
      case 'leave': {
        const player = pick(chatters, act.who);
        if (!player || !tell) return;
        const address = personAddress(player.person);
        const isGone = circumstances.standings[address] === 'gone';
        lines.push(`${player.name} ${isGone ? 'is back' : 'leaves'}`);
        const standing = isGone ? (first.standings[address] ?? 'member') : 'gone';
        change({ ...circumstances, standings: { ...circumstances.standings, [address]: standing } });
        return;
      }
      case 'role': {
        const player = pick(chatters, act.who);
        const [role] = Object.keys(circumstances.roles).filter(
          (name) => player && name.startsWith(`${player.person.platform}:`),
        );
        if (!player || !tell || role === undefined) return;
        const address = personAddress(player.person);
        const holders = circumstances.roles[role] ?? [];
        const has = holders.includes(address);
        lines.push(`${player.name} ${has ? 'loses' : 'gets'} the role ${role}`);
        const next = has ? holders.filter((one) => one !== address) : [...holders, address];
        change({ ...circumstances, roles: { ...circumstances.roles, [role]: next } });
        return;
      }
      case 'delete': {
        const card = pick(deeds.cards(), act.card);
        if (!card || deleted.has(card.message.id)) return;
        lines.push(`Somebody deletes the card ${card.message.id}`);
        deleted.add(card.message.id);
        return world.side(card.message.platform).platform.deleteMessage(card.message);
      }
      case 'die':
        lines.push(`The process dies ${act.points} points of its work later, for ${inMinutes(act.downMs)}`);
        world.die(act.points, act.downMs);
        return;
      case 'fail': {
        const side = pick(world.sides, act.side)?.platform.channel.platform;
        if (side === undefined) return;
        lines.push(`${act.times} calls of ${side} fail: ${act.fault}`);
        world.trouble.fail(side, act.fault, act.times);
        return;
      }
      case 'down': {
        const side = pick(world.sides, act.side)?.platform.channel.platform;
        if (side === undefined) return;
        lines.push(`${side} is down`);
        world.trouble.takeDown(side);
        return;
      }
      case 'calm':
        lines.push('All is well for two minutes');
        world.trouble.end();
        world.spare();
        await world.pass(TWO_MINUTES_MS);
    }
  }

  return {
    lines,
    async act(act) {
      const deaths = world.deaths();
      switch (act.kind) {
        case 'press':
        case 'send':
        case 'command':
          return perform([act]);
        case 'together':
          return perform(act.acts);
        default: {
          const before = new Map<Player, number>();
          for (const player of cast.players) before.set(player, (await heard(player)).length);
          await happen(act);
          await settle(deaths);
          for (const player of cast.players) {
            const news = (await heard(player)).slice(before.get(player));
            // Whoever starts a run while the chat is down is told so.
            const others = act.kind === 'start' ? news.filter((words) => !isKept(words)) : news;
            checkTold(player, undefined, others, false, false);
          }
          if (act.kind === 'calm') await checkShown(world, record, settings, deleted);
        }
      }
    },
  };
}

function inMinutes(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000} minutes` : `${ms} ms`;
}
