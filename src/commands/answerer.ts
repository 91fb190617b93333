import { type Named, noRoles, type Roles } from '../engine/named.ts';
import { accountOf, type Place, type Standing } from '../engine/people.ts';
import { type Answerer, askedOf } from '../engine/run/answer.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import type { Bot, Caller } from './bot.ts';
import { addressesOf, findRoles } from './roles.ts';

/** Somebody as the rule about answers sees them; whether their account may answer is found out only where that matters. */
export async function answererOf(
  bot: Bot,
  caller: Caller,
  run: Pick<RunState, 'start'>,
  question: Question,
): Promise<Answerer> {
  const roles = await rolesOf(bot, caller, askedOf(question), question.place ?? run.start.home);
  return { ...knownAnswerer(bot, caller), roles };
}

/** The same as far as it is known without asking anybody: they have no roles. */
export function knownAnswerer(bot: Bot, { person, place, atMs }: Caller): Answerer {
  const [, ...also] = addressesOf(bot, person);
  return { by: person, also, standing: 'member', roles: noRoles, atMs, ...(place && { place }) };
}

/**
 * What the account of somebody is who may answer a question as far as is known, as seen from where it is asked, or from
 * where they are once that is gone. Even those who are named in person may have left; the host's command line is known.
 * Rejects with `ChatUnavailable` when nobody can tell now.
 */
export async function standingFor(
  bot: Bot,
  { person, place, access }: Caller,
  run: RunState,
  question: Question,
): Promise<Standing> {
  const chat = bot.chats.get(person.platform);
  if (!chat || (!place && !access)) return 'member';
  const asked = question.place ?? run.start.home;
  const isThere =
    asked?.platform === person.platform && (await chat.conversation(asked.conversation)) !== undefined;
  return chat.standing(person, isThere ? asked : place);
}

/**
 * Further accounts of somebody that have left, of those by which a question names them: what these could answer, nobody
 * can any more. Rejects with `ChatUnavailable` when nobody can tell now.
 */
export async function leftOf(
  bot: Bot,
  { person, place, access }: Caller,
  run: RunState,
  question: Question,
): Promise<readonly string[]> {
  const [own, ...also] = addressesOf(bot, person);
  const named = askedOf(question);
  // The host's command line answers while no chat is connected, too.
  if ((!place && !access) || (own !== undefined && named.includes(own))) return [];
  const asked = question.place ?? run.start.home;
  const accounts = also.filter((address) => named.includes(address));
  const found = await Promise.all(
    accounts.map(async (address) => {
      const account = accountOf(address);
      const at = asked?.platform === account.platform ? asked : undefined;
      return { address, standing: await bot.chats.get(account.platform)?.standing(account, at) };
    }),
  );
  return found.flatMap(({ address, standing }) => (standing === 'gone' ? [address] : []));
}

/** Roles on the platform where they answer, and on the one where it is asked if they have an account there, too. */
async function rolesOf(bot: Bot, caller: Caller, named: Named, asked: Place | undefined): Promise<Roles> {
  const [, ...also] = addressesOf(bot, caller.person);
  const there = also.flatMap((address): readonly Caller[] => {
    const person = { ...accountOf(address), name: caller.person.name };
    return caller.place && person.platform === asked?.platform ? [{ ...caller, person, place: asked }] : [];
  });
  // A visitor has the roles of their account, also those of a conversation that they can't read.
  const isAtHome = caller.access !== undefined && caller.person.platform === asked?.platform;
  const own = isAtHome ? { ...caller, place: asked } : caller;
  const found = await Promise.all([own, ...there].map((account) => findRoles(bot, account, [named])));
  const held = found.flatMap((roles) => roles.held);
  const unsure = found.flatMap((roles) => roles.unsure);
  return { held, unsure: unsure.filter((role) => !held.includes(role)) };
}
