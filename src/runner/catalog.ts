import type { Agent } from '../engine/agents/agent.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Json } from '../engine/json.ts';
import type { Pause } from '../ports/store.ts';

/** A flow that can be run. */
export interface LoadedFlow {
  readonly id: string;
  /** As people know it: `flows/release.flow.yaml`. */
  readonly file: string;
  /** Hash of the definition. */
  readonly version: string;
  /** What is stored for its runs: the flow, or a bundle with what it reaches. */
  readonly definition: Json;
  readonly plan: Plan;
}

/** A flow file that can't be run. */
export interface BrokenFile {
  readonly file: string;
  /** One line each, with line and column. */
  readonly faults: readonly string[];
}

/** All flow files as they were last loaded. */
export interface FlowSet {
  readonly flows: readonly LoadedFlow[];
  readonly broken: readonly BrokenFile[];
  /** Warnings of flows that can be run, one line each. */
  readonly warnings: readonly string[];
  /** Agents as their files are now, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
}

/** The flows of this process: replaced as a whole, switched on and off by people. */
export interface Catalog {
  readonly flows: readonly LoadedFlow[];
  readonly broken: readonly BrokenFile[];
  /** Warnings of flows that can be run, one line each. */
  readonly warnings: readonly string[];
  /** Agents as their files are now, by name. */
  readonly agents: FlowSet['agents'];
  flow(id: string): LoadedFlow | undefined;
  /** Whether it may be started: what people switched last, else what its file says. */
  isEnabled(flow: LoadedFlow): boolean;
  setSwitch(flow: string, enabled: boolean): void;
  /** Nothing starts at all, until somebody resumes it. */
  readonly paused: Pause | undefined;
  setPaused(pause: Pause | undefined): void;
  replace(set: FlowSet): void;
  /** Calls `look` after each replacement, switch and pause. */
  follow(look: () => void): void;
}

/**
 * Makes the catalog.
 * @param switches what people have switched so far, by flow id @param pause what they have paused altogether
 */
export function createCatalog(switches: Readonly<Record<string, boolean>>, pause?: Pause): Catalog {
  let current: FlowSet = { flows: [], broken: [], warnings: [], agents: new Map() };
  let paused = pause;
  let byId = new Map<string, LoadedFlow>();
  const followers: (() => void)[] = [];
  const tell = () => {
    for (const look of followers) look();
  };
  const switched = new Map(Object.entries(switches));
  return {
    get flows() {
      return current.flows;
    },
    get broken() {
      return current.broken;
    },
    get warnings() {
      return current.warnings;
    },
    get agents() {
      return current.agents;
    },
    flow: (id) => byId.get(id),
    isEnabled: (flow) => switched.get(flow.id) ?? flow.plan.enabled,
    setSwitch(flow, enabled) {
      switched.set(flow, enabled);
      tell();
    },
    get paused() {
      return paused;
    },
    setPaused(pause) {
      paused = pause;
      tell();
    },
    replace(set) {
      current = set;
      byId = new Map(set.flows.map((flow) => [flow.id, flow]));
      tell();
    },
    follow: (look) => void followers.push(look),
  };
}
