import { lanesOf } from '../engine/flow/bundle.ts';
import type { Plan } from '../engine/flow/plan.ts';
import { BUDGET_REFUSED } from '../engine/run/budget.ts';
import type { CallEffect } from '../engine/run/effect.ts';
import type { ParentRun } from '../engine/run/event.ts';
import { isFinal, type RunState } from '../engine/run/state.ts';
import { type BudgetStanding, overLimit, standingOf, takesSlot, worstOf } from '../engine/run/tree.ts';
import type { Failure } from '../engine/steps/step-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { Stopped } from './patience.ts';
import type { Plans } from './plans.ts';

/**
 * What runs share that started each other: the slots of the one at the top, what it may send and ask, and the budgets of
 * all above. A run alone is a tree of one, whose limits the engine itself keeps.
 */
export interface Trees {
  /** A run has moved. */
  note(state: RunState, plan: Plan): void;
  /** How a run and those above it stand to their budgets: the worst counts. */
  standing(state: RunState, plan: Plan): BudgetStanding;
  /**
   * Waits until a call may begin. A failure: it never may. Rejects with `Stopped` when the signal is aborted.
   * @returns what gives the slot back
   */
  enter(state: RunState, effect: CallEffect, signal: AbortSignal): Promise<Failure | Leave>;
}

/** Gives a slot back. */
export type Leave = () => void;

interface Member {
  /** Absent = it is the one at the top. */
  readonly above?: ParentRun;
  readonly httpRequests: number;
  readonly agentSteps: number;
  readonly isOpen: boolean;
  readonly hasBudget: boolean;
  readonly budget: BudgetStanding;
}

interface Tree {
  readonly members: Map<string, Member>;
  taken: number;
  /** Calls that have a slot or are on their way to one. */
  calls: number;
  /** Looked through, in this order, whenever something changes. */
  readonly waiting: Set<() => boolean>;
  /** Resolves when all runs of it are known that the store has. */
  loaded?: Promise<void>;
}

/** Makes it. */
export function createTrees(deps: {
  readonly store: Store;
  readonly plans: Plans;
  readonly clock: Clock;
  /** Resolves when the step that has started a run knows all that there is to know about it. */
  readonly told: (above: ParentRun) => Promise<void>;
}): Trees {
  const { store, plans, clock, told } = deps;
  const trees = new Map<string, Tree>();

  function treeOf(root: string): Tree {
    let tree = trees.get(root);
    if (!tree) {
      tree = { members: new Map(), taken: 0, calls: 0, waiting: new Set() };
      trees.set(root, tree);
    }
    return tree;
  }

  function note(state: RunState, plan: Plan): void {
    const { id, start } = state;
    const root = start.parent?.root ?? id;
    const isOneOfMany = start.parent !== undefined || lanesOf(plan).length > 0;
    // What is over makes no tree, so that none is left behind.
    const tree = isOneOfMany && !isFinal(state.status) ? treeOf(root) : trees.get(root);
    if (!tree) return;
    tree.members.set(id, memberOf(state, plan));
    look(root, tree);
  }

  function memberOf(state: RunState, plan: Plan): Member {
    const { parent } = state.start;
    return {
      ...(parent && { above: parent }),
      httpRequests: state.httpRequests,
      agentSteps: state.agentSteps,
      isOpen: !isFinal(state.status),
      hasBudget: plan.budget !== undefined,
      budget: standingOf(plan, state, clock.now()),
    };
  }

  /** Lets those begin that can now, and forgets a tree in which nothing can come any more. */
  function look(root: string, tree: Tree): void {
    for (const wake of tree.waiting) if (wake()) tree.waiting.delete(wake);
    if (tree.calls === 0 && tree.members.values().every(({ isOpen }) => !isOpen)) trees.delete(root);
  }

  /** Takes in the runs of a tree that moved before this process began. */
  function load(root: string, tree: Tree): Promise<void> {
    tree.loaded ??= (async () => {
      const rows = await store.runs({ root });
      for (const id of [root, ...rows.map((row) => row.id)]) {
        if (tree.members.has(id)) continue;
        const stored = await store.run(id);
        const plan = stored && (await plans.get(stored.row.version));
        // It may have moved meanwhile, which is newer.
        if (plan && !tree.members.has(id)) tree.members.set(id, memberOf(stored.state, plan));
      }
    })();
    tree.loaded.catch(() => {
      delete tree.loaded;
    });
    return tree.loaded;
  }

  /** The runs above a run, from below. */
  function* membersAbove({ members }: Tree, parent: ParentRun | undefined): Iterable<Member> {
    for (let at = parent; at; at = members.get(at.run)?.above) {
      const member = members.get(at.run);
      if (member) yield member;
    }
  }

  /** How the runs above stand to their budgets: the worst counts. */
  function standingAbove(tree: Tree, parent: ParentRun | undefined): BudgetStanding {
    return worstOf([...membersAbove(tree, parent)].map(({ budget }) => budget));
  }

  /** What the call before this one has used up counts before this one begins. */
  async function reckon(tree: Tree, parent: ParentRun | undefined): Promise<void> {
    if (![...membersAbove(tree, parent)].some(({ hasBudget }) => hasBudget)) return;
    for (let at = parent; at; at = tree.members.get(at.run)?.above) await told(at);
  }

  /** Resolves when a slot was taken; with a failure when there will be none. */
  function hold(
    tree: Tree,
    parent: ParentRun | undefined,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    return new Promise((resolve, reject) => {
      const enterNow = (): boolean => {
        const standing = standingAbove(tree, parent);
        const isRefused = standing === 'refused';
        if (!isRefused && (tree.taken >= slotsOf(parent) || standing === 'asked')) return false;
        if (!isRefused) tree.taken += 1;
        signal.removeEventListener('abort', onAbort);
        resolve(isRefused ? BUDGET_REFUSED : undefined);
        return true;
      };
      const onAbort = (): void => {
        tree.waiting.delete(enterNow);
        reject(new Stopped());
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      if (!enterNow()) tree.waiting.add(enterNow);
    });
  }

  return {
    note,
    standing(state, plan) {
      const own = standingOf(plan, state, clock.now());
      const { parent } = state.start;
      const tree = parent && trees.get(parent.root);
      return tree ? worstOf([own, standingAbove(tree, parent)]) : own;
    },
    async enter({ id, start: { parent } }, effect, signal) {
      if (!takesSlot(effect)) return () => undefined;
      const root = parent?.root ?? id;
      // The engine has seen to the slots and limits of a run that is alone.
      if (!parent && !trees.has(root)) return () => undefined;
      const tree = treeOf(root);
      tree.calls += 1;
      const end = (): void => {
        tree.calls -= 1;
        look(root, tree);
      };
      try {
        await load(root, tree);
        await reckon(tree, parent);
        const refused = overLimit(tree.members.values(), effect) ?? (await hold(tree, parent, signal));
        if (refused) {
          end();
          return refused;
        }
      } catch (error) {
        end();
        throw error;
      }
      return () => {
        tree.taken -= 1;
        end();
      };
    },
  };
}

/** Calls of the run at the top have their slot from the engine already; those of its lanes leave room for them. */
function slotsOf(parent: ParentRun | undefined): number {
  return parent ? parent.slots : Number.POSITIVE_INFINITY;
}
