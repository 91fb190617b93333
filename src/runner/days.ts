import type { Plan } from '../engine/flow/plan.ts';
import type { Place } from '../engine/people.ts';
import type { PostContent } from '../engine/post.ts';
import {
  countsFor,
  type DayAlert,
  type DayBudget,
  dayAlerts,
  dayOf,
  type HostBudget,
  overDay,
  usedUp,
} from '../engine/run/day-budget.ts';
import type { Parked } from '../engine/run/parked.ts';
import { runPost } from '../engine/run/settle.ts';
import type { RunState } from '../engine/run/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { PostTarget, Store } from '../ports/store.ts';
import type { Outbox } from './outbox.ts';
import type { Plans } from './plans.ts';
import { personTarget } from './run-changes.ts';

/** The budgets of days: of flows, and of all of them together. */
export interface Days {
  /**
   * Why nothing of a run that uses up a budget may begin today, if it may not. Alerts that are due are given, also those
   * that a process which has died could not give.
   */
  over(state: RunState, plan: Plan): Promise<Extract<Parked, { kind: 'day' }> | undefined>;
  /** A run has used something up: gives the alerts that are due. Never rejects. */
  tell(state: RunState, plan: Plan): Promise<void>;
}

/** Makes them. Without any budget of a day nothing is looked up. */
export function createDays(deps: {
  readonly store: Store;
  readonly plans: Pick<Plans, 'get'>;
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Person addresses of those who hear about the budget of all flows together, and decide about it. */
  readonly admins: readonly string[];
  /** Absent = all flows together may use up anything. */
  readonly budget?: HostBudget;
}): Days {
  const { store, plans, outbox, clock, log, admins } = deps;

  /** The budgets that count for a run, with what is used up of them today. */
  async function budgetsFor({ start }: RunState, plan: Plan): Promise<readonly DayBudget[]> {
    const top = start.parent && (await planOf(start.parent.root));
    const flows = [plan, ...(top ? [top] : [])];
    const host = deps.budget;
    if (!host && flows.every(({ perDay }) => perDay === undefined)) return [];
    const day = dayOf(clock.now());
    const spent = await store.spent(day, day);
    const ofFlows = flows.flatMap(({ id, name, perDay, alerts }): readonly DayBudget[] => {
      if (!perDay) return [];
      const own = spent.filter((one) => countsFor(id, one));
      return [{ key: `flow/${id}/${day}`, day, flow: name, perDay, alerts, spent: usedUp(own) }];
    });
    const ofHost: readonly DayBudget[] = host
      ? [
          {
            key: `host/${day}`,
            day,
            ...host,
            spent: usedUp(spent),
            ...(admins.length > 0 && { approvers: admins }),
          },
        ]
      : [];
    return [...ofFlows, ...ofHost];
  }

  async function planOf(run: string): Promise<Plan | undefined> {
    const stored = await store.run(run);
    return stored && plans.get(stored.row.version);
  }

  /** Whether people have let a run go on over a budget: then all that belong to the same one at the top may. */
  async function mayGoOn({ id, start, budget }: RunState, key: string): Promise<boolean> {
    if (budget?.days?.includes(key)) return true;
    const root = start.parent?.root ?? id;
    const rows = await store.runs({ root });
    for (const other of [root, ...rows.map((row) => row.id)]) {
      if ((await store.run(other))?.state.budget?.days?.includes(key)) return true;
    }
    return false;
  }

  async function giveAlerts(state: RunState, budgets: readonly DayBudget[]): Promise<void> {
    for (const budget of budgets) {
      for (const alert of dayAlerts(budget)) await give(alert, targetsOf(budget, state));
    }
  }

  /** With other figures it would be an edit: what was told once stays as it is. */
  async function give({ post, prose }: DayAlert, targets: readonly Target[]): Promise<void> {
    for (const { key, target, notify } of targets) {
      const whole = `${post}${key}`;
      if (await store.post(whole)) continue;
      const content: PostContent = { prose, buttons: [], notify };
      await store.commit({ posts: [{ key: whole, target, content }] });
      outbox.wake(whole);
    }
  }

  /** About a flow people are told where its run lives, and else admins; about the host always these. */
  function targetsOf({ flow }: DayBudget, { id, start }: RunState): readonly Target[] {
    const { home, person, parent } = start;
    if (flow === undefined || !home) {
      return admins.map((admin) => ({ key: `/${admin}`, target: personTarget(admin), notify: [] }));
    }
    const target = { ...home, under: runPost(parent?.root ?? id) };
    return [{ key: '', target, notify: notified(home, person) }];
  }

  return {
    async over(state, plan) {
      const budgets = await budgetsFor(state, plan);
      await giveAlerts(state, budgets);
      for (const budget of budgets) {
        const over = overDay(budget);
        if (over && !(await mayGoOn(state, budget.key))) return over;
      }
      return undefined;
    },
    async tell(state, plan) {
      try {
        await giveAlerts(state, await budgetsFor(state, plan));
      } catch (error) {
        log.error('Alerts about budgets of days could not be given; they come later.', error, {
          run: state.id,
        });
      }
    },
  };
}

/** Where an alert is posted. */
interface Target {
  /** What follows in the key of the post. */
  readonly key: string;
  readonly target: PostTarget;
  readonly notify: readonly string[];
}

function notified(home: Place, person: RunState['start']['person']): readonly string[] {
  return person && person.platform === home.platform ? [person.id] : [];
}
