import type { Plan } from '../engine/flow/plan.ts';
import type { JsonObject } from '../engine/json.ts';
import { type Person, personAddress } from '../engine/people.ts';
import type { Button } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import type { RunStart } from '../engine/run/event.ts';
import { planRetry, planRetryOn, type RetryPlan } from '../engine/run/retry.ts';
import { isFinal } from '../engine/run/state.ts';
import type { RunRow, StoredRun } from '../ports/store.ts';
import { inheritanceOf } from '../runner/inherit.ts';
import type { Started } from '../runner/runs.ts';
import { writeActionId } from './action-ids.ts';
import { type Bot, type Caller, isAdmin, mayControl, mayLook, say } from './bot.ts';
import { deny, type Reply, refuse } from './command.ts';
import { whatIsWrong } from './conversation.ts';
import { isNotAllowed, pausedInWords } from './may-start.ts';
import { addressesOf } from './roles.ts';
import { nobodyWouldSee, reached, startFlow } from './start-flow.ts';
import { shown } from './typed.ts';

/** A run, with the plan that it began with. */
interface FoundRun {
  readonly stored: StoredRun;
  readonly plan: Plan;
}

/** A run that this caller may see; or the sentence why not. */
export async function findRun(
  bot: Bot,
  caller: Caller,
  id: string,
): Promise<FoundRun | { readonly refused: Reply }> {
  const stored = await bot.store.run(id);
  // Those who may not look learn nothing, not even that it exists.
  if (!stored || !mayLook(bot, caller, stored.row))
    return { refused: refuse(`There is no run ${shown(id)} here.`) };
  return { stored, plan: await bot.plans.get(stored.row.version) };
}

/** Cancels a run. */
export async function cancelRun(bot: Bot, caller: Caller, id: string): Promise<Reply> {
  const found = await findRun(bot, caller, id);
  if ('refused' in found) return found.refused;
  if (!mayControl(bot, caller, found.stored.row)) return deny(onlyStarter(found.stored, 'cancel it'));
  const before = await bot.runs.dispatch(id, (state) =>
    isFinal(state.status)
      ? { result: state.status }
      : { event: { type: 'run.cancelled', atMs: bot.clock.now(), by: caller.person }, result: undefined },
  );
  if (before !== undefined) return refuse(`Run ${id} has already ended: ${before}.`);
  return {
    ok: true,
    content: say(md(`Run \`${id}\` is cancelled.`)),
    data: { run: id, status: 'cancelled' },
  };
}

/** Shows what running it again would do, with the buttons to do it. */
export async function offerAgain(bot: Bot, caller: Caller, id: string): Promise<Reply> {
  const found = await findRun(bot, caller, id);
  if ('refused' in found) return found.refused;
  const { stored, plan } = found;
  if (!mayControl(bot, caller, stored.row)) return deny(onlyStarter(stored, 'run it again'));
  if (stored.row.parent) return refuse(onlyWhole(stored.row.parent));
  const retry = planRetry(plan, stored.state);
  if (!('refused' in retry)) return retryOffer(bot, caller, found, retry);
  if (!isFinal(stored.state.status) || !caller.place) return refuse(retry.refused);
  return {
    ok: true,
    content: {
      prose: [md('Run '), literal(plan.name), md(' again from the beginning, with the same input?')],
      buttons: [rerunButton(caller, id)],
      notify: [],
    },
  };
}

function retryOffer(bot: Bot, caller: Caller, { stored, plan }: FoundRun, { kept, again }: RetryPlan): Reply {
  const { id } = stored.row;
  const how = caller.place ? [] : [md('\n\nTo do it: '), literal(`${bot.settings.command} retry ${id} yes`)];
  const flow = bot.catalog.flow(stored.row.flow);
  const renewed =
    flow && flow.version !== stored.row.version ? planRetryOn(flow.plan, plan, stored.state) : undefined;
  const news = !renewed
    ? []
    : 'refused' in renewed
      ? [
          md('\n\nThe flow has changed since. A retry with it as it is now is not possible: '),
          literal(renewed.refused),
        ]
      : [
          md('\n\nThe flow has changed since. With it as it is now a retry runs: '),
          literal(renewed.again.join(', ')),
        ];
  return {
    ok: true,
    content: {
      prose: [
        md(`A retry of run \`${id}\` is a new run of the same version.`),
        md('\n\nIt keeps: '),
        literal(kept.join(', ') || 'nothing'),
        md('\n\nIt runs: '),
        literal(again.join(', ')),
        ...news,
        ...how,
      ],
      buttons: caller.place
        ? [
            { id: writeActionId({ kind: 'retry', run: id }), label: 'Retry', style: 'primary' },
            ...(renewed && !('refused' in renewed)
              ? [
                  {
                    id: writeActionId({ kind: 'renew', run: id }),
                    label: 'Retry as it is now',
                    style: 'plain',
                  } as const,
                ]
              : []),
            rerunButton(caller, id),
          ]
        : [],
      notify: [],
    },
    data: { run: id, keeps: [...kept], runs: [...again] },
  };
}

function rerunButton(caller: Caller, run: string): Button {
  const id = writeActionId({ kind: 'rerun', run, offer: caller.event });
  return { id, label: 'From the beginning', style: 'plain' };
}

/**
 * Starts the retry: a new run that takes over what the old one had finished, half-sent posts too. A run is retried
 * once: two retries would both go on with the same posts. The retry itself can be retried.
 * @param which the version the run began with, or the one that is in force now
 * @param from id of a step that runs again with all that follows it, whether it had finished or not
 */
export async function retryRun(
  bot: Bot,
  caller: Caller,
  id: string,
  which: 'same' | 'current',
  from?: string,
): Promise<Reply> {
  const found = await findRun(bot, caller, id);
  if ('refused' in found) return found.refused;
  const { stored, plan } = found;
  if (!mayControl(bot, caller, stored.row)) return deny(onlyStarter(stored, 'retry it'));
  if (stored.row.parent) return refuse(onlyWhole(stored.row.parent));
  const why = await mayNotStartAgain(bot, caller, stored, plan);
  if (why !== undefined) return refuse(why);
  const flow = bot.catalog.flow(stored.row.flow);
  const version = which === 'same' ? { version: stored.row.version, plan } : flow;
  if (!version) return refuse(`There is no flow ${stored.row.flow} any more.`);
  const retry =
    which === 'same'
      ? planRetry(plan, stored.state, from)
      : planRetryOn(version.plan, plan, stored.state, from);
  if ('refused' in retry) {
    return refuse(
      which === 'same' ? retry.refused : `With the flow as it is now this is not possible: ${retry.refused}`,
    );
  }
  const { home } = stored.state.start;
  if (home && !(await reached(bot, home))) return refuse(nobodyWouldSee);
  if (flow && which === 'current') await bot.plans.add(flow.version, flow.definition, flow.plan);
  // What an earlier retry took over is part of what this run finished.
  const { retryOf: _, ...start } = stored.state.start;
  const started = await bot.runs.start({
    version: version.version,
    plan: version.plan,
    atMs: bot.clock.now(),
    startKey: `retry:${id}`,
    // Whoever asked for it in the first place still has: a retry by an admin must not let them answer for others.
    start: { ...start, trigger: 'retry', retryOf: await inheritanceOf(bot.store, retry) },
  });
  if (started.kind === 'refused') return refuse(started.why);
  return started.repeat
    ? { ...refuse(`Run ${id} has been retried already: run ${started.run}.`), data: { run: started.run } }
    : startedReply(started);
}

/** A retry is a start as well; only an admin who steps in need not be among those who may start the flow. */
async function mayNotStartAgain(
  bot: Bot,
  caller: Caller,
  stored: StoredRun,
  plan: Plan,
): Promise<string | undefined> {
  const flow = bot.catalog.flow(stored.row.flow);
  if (bot.catalog.paused) return pausedInWords(bot.catalog.paused);
  if (flow && !bot.catalog.isEnabled(flow)) return `${flow.plan.name} is switched off.`;
  return isAdmin(bot, caller) ? undefined : isNotAllowed(bot, flow?.plan ?? plan, caller);
}

/**
 * Starts a new run of the flow as it is now.
 * @param offer one offer starts one run at most @param input absent = the same
 */
export async function rerun(
  bot: Bot,
  caller: Caller,
  id: string,
  offer: string,
  input?: JsonObject,
): Promise<Reply> {
  const found = await findRun(bot, caller, id);
  if ('refused' in found) return found.refused;
  const { stored } = found;
  if (!mayControl(bot, caller, stored.row)) return deny(onlyStarter(stored, 'run it again'));
  if (stored.row.parent) return refuse(onlyWhole(stored.row.parent));
  const flow = bot.catalog.flow(stored.row.flow);
  if (!flow) return refuse(`There is no flow ${stored.row.flow} any more.`);
  const { start } = stored.state;
  const requesters = othersWhoAsked(bot, caller, start);
  const result = await startFlow(bot, {
    flow,
    caller,
    ...(requesters.length > 0 && { requesters }),
    trigger: 'manual',
    text: start.text,
    prompt: start.prompt,
    data: input ?? start.input,
    files: start.files,
    startKey: `rerun:${caller.person.platform}:${offer}:${id}`,
    ...(start.home && { home: start.home }),
  });
  switch (result.kind) {
    case 'started':
      return result.repeat
        ? { ...refuse(`This has been started already: run ${result.run}.`), data: { run: result.run } }
        : startedReply(result);
    case 'refused':
      return refuse(result.why);
    case 'incomplete':
      return refuse(
        `The input does not fit the flow${input ? '' : ' any more'}: ${whatIsWrong(result.missing, result.problems)}`,
      );
  }
}

/** Everybody but the caller who has asked for what a run does: running it again must not let them answer for it. */
function othersWhoAsked(
  bot: Bot,
  { person }: Caller,
  { person: starter, requesters = [] }: RunStart,
): readonly Person[] {
  const own = addressesOf(bot, person);
  return [...(starter ? [starter] : []), ...requesters].filter((one) => !own.includes(personAddress(one)));
}

/** Tells which run was started, or waits for its turn. */
export function startedReply({ run, queued }: Extract<Started, { kind: 'started' }>): Reply {
  const content =
    queued === undefined
      ? say(md(`Started run \`${run}\`.`))
      : say(md(`Queued run \`${run}\`. `), literal(queued));
  return { ok: true, content, data: { run, ...(queued !== undefined && { queued }) } };
}

/** A run that a step has started has nobody else who would take up its result. */
function onlyWhole({ root }: NonNullable<RunRow['parent']>): string {
  return `This run is a part of run ${root}: retry that one.`;
}

function onlyStarter({ row }: StoredRun, what: string): string {
  const who = row.startedBy
    ? `${row.startedBy.name}, who started run ${row.id},`
    : `whoever started run ${row.id}`;
  return `Only ${who} or an admin may ${what}.`;
}
