import { parseActionId, writeActionId } from '../../src/commands/action-ids.ts';
import { runChatCommand } from '../../src/commands/table.ts';
import type { MessageRef, Place } from '../../src/engine/people.ts';
import { compose, plainText } from '../../src/render/markdown/index.ts';
import type { Answering } from './acts.ts';
import type { Cast, Player } from './cast.ts';
import type { Attempt, ModelRecord } from './record.ts';
import type { Asked } from './rules.ts';
import type { World } from './world.ts';

/** Not the fingerprint of anything. */
const OTHER_PRINT = 'f'.repeat(16);

/** A card that people have seen. */
interface Card {
  readonly message: MessageRef;
  /** All buttons it ever had. */
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

/** Something that somebody does, and what it tries. */
export interface Deed {
  readonly line: string;
  readonly player: Player;
  readonly attempt?: Attempt;
  readonly act: () => Promise<void>;
}

/** How people come to do something about questions. */
export interface Deeds {
  /** Undefined: there is nothing that they could do it with. */
  deedOf(act: Answering): Promise<Deed | undefined>;
  /** Takes notice of new cards. */
  lookAtCards(): Promise<void>;
  /** All cards that ever had buttons, the newest first. */
  cards(): readonly Card[];
  /** What the command line said. */
  readonly hostHeard: readonly string[];
}

/** Makes them. */
export function createDeeds(world: World, cast: Cast, record: ModelRecord): Deeds {
  const cards = new Map<string, Card>();
  /** Where the form of somebody was opened. */
  const formPlaces = new Map<Player, Place>();
  const hostHeard: string[] = [];
  let typed = 0;

  const newestFirst = () => [...cards.values()].toReversed();
  const asked = (): readonly Asked[] =>
    [...record.runs.values()].flatMap((run) => run.asked).toSorted((a, b) => b.openedAtMs - a.openedAtMs);
  const chatters = cast.players.filter(({ here }) => here);

  function attemptOf(
    player: Player,
    question: string,
    action: string,
    how: Partial<Attempt> & { readonly place?: Place },
  ) {
    if (!record.find(question)) return undefined;
    const { place, ...rest } = how;
    return record.attempt({
      player,
      question,
      action,
      feedback: '',
      saw: undefined,
      amount: 'none',
      opensForm: false,
      isCommand: false,
      atMs: world.nowMs(),
      conversation: place && `${place.platform}:${place.conversation}`,
      ...rest,
    });
  }

  function press(act: Extract<Answering, { kind: 'press' }>): Deed | undefined {
    const player = pick(chatters, act.who);
    const card = pick(newestFirst(), act.card);
    const shown = card && pick(card.buttons, act.button);
    const id = shown && parseActionId(shown.id);
    if (!player?.here || !card || !shown || id?.kind !== 'answer') return undefined;
    const button = act.stale ? writeActionId({ ...id, covers: OTHER_PRINT }) : shown.id;
    const isThere = card.message.platform === player.here.platform;
    // Where no card is, somebody made it up.
    const message = isThere ? card.message : { ...player.here, id: 'M-made-up' };
    formPlaces.set(player, placeOf(message));
    const attempt = attemptOf(player, id.question, id.action, {
      saw: !act.stale,
      opensForm: id.form !== 'none',
      place: message,
    });
    const made = isThere ? '' : ' by hand';
    const stale = act.stale ? ' as if it asked about something else' : '';
    return {
      line: `${player.name} presses ${shown.label} of ${id.question}${made}${stale}`,
      player,
      ...(attempt && { attempt }),
      act: () => world.side(player.person.platform).platform.click(player.person, message, button),
    };
  }

  async function send(act: Extract<Answering, { kind: 'send' }>): Promise<Deed | undefined> {
    const player = pick(chatters, act.who);
    const place = player && formPlaces.get(player);
    if (!player || !place) return undefined;
    const { platform } = world.side(player.person.platform);
    const form = await platform.form(player.person);
    const id = form && parseActionId(form.id);
    if (!form || id?.kind !== 'answer') return undefined;
    const has = (field: string) => form.fields.some((one) => one.id === field);
    const amount = { good: '3', bad: 'many', none: '' }[act.amount];
    const values = {
      ...(has('field_amount') && { field_amount: amount }),
      ...(has('feedback') && { feedback: act.comment }),
    };
    const attempt = attemptOf(player, id.question, id.action, {
      feedback: has('feedback') ? act.comment : '',
      saw: id.covers !== OTHER_PRINT,
      amount: has('field_amount') ? act.amount : 'none',
      place,
    });
    return {
      line: `${player.name} sends the form ${id.action} of ${id.question} with ${JSON.stringify(values)}`,
      player,
      ...(attempt && { attempt }),
      act: () => platform.submit(player.person, place, form.id, values),
    };
  }

  function command(act: Extract<Answering, { kind: 'command' }>): Deed | undefined {
    const player = pick(cast.players, act.who);
    const question = pick(asked(), act.question);
    if (!player || !question) return undefined;
    const { id } = question;
    const text =
      act.action === 'later' ? `answer ${id} later ${act.comment}` : `${act.action} ${id} ${act.comment}`;
    const place = act.elsewhere ? player.elsewhere : player.here;
    const attempt = attemptOf(player, id, act.action, {
      feedback: act.comment,
      isCommand: true,
      ...(place && { place }),
    });
    if (place) formPlaces.set(player, place);
    const where = place ? ` in ${place.platform}:${place.conversation}` : '';
    return {
      line: `${player.name} types “${text.trim()}”${where}`,
      player,
      ...(attempt && { attempt }),
      act: async () => {
        const { person } = player;
        if (place) return world.side(person.platform).platform.command(person, place, text);
        typed += 1;
        const caller = { person, event: `typed${typed}`, atMs: world.nowMs() };
        const reply = await runChatCommand(world.bot(), caller, text);
        hostHeard.push(plainText(compose(reply.content.prose)));
      },
    };
  }

  async function deedOf(act: Answering): Promise<Deed | undefined> {
    switch (act.kind) {
      case 'press':
        return press(act);
      case 'send':
        return send(act);
      case 'command':
        return command(act);
    }
  }

  async function lookAtCards(): Promise<void> {
    for (const { key, message } of world.posted) {
      if (!/^question\/[^/]+#/.test(key)) continue;
      const { platform } = world.side(message.platform);
      const seen = (await platform.messages(placeOf(message))).find(({ ref }) => ref.id === message.id);
      const known = cards.get(message.id);
      if (!seen || seen.buttons.length === 0) continue;
      if (known && known.buttons.length === seen.buttons.length) continue;
      cards.set(message.id, { message, buttons: seen.buttons });
    }
  }

  return { deedOf, lookAtCards, cards: newestFirst, hostHeard };
}

/** One of a list, whatever the number. */
export function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}

function placeOf({ platform, conversation, thread }: Place): Place {
  return { platform, conversation, ...(thread !== undefined && { thread }) };
}
