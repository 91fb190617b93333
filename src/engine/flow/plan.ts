import type { Agent } from '../agents/agent.ts';
import type { Choice } from '../agents/call.ts';
import type { Expression } from '../data/cel.ts';
import type { Rules } from '../data/condition.ts';
import type { Template } from '../data/template.ts';
import type { JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { PerDay } from '../run/day-budget.ts';
import type { Ceiling } from '../run/state.ts';
import type { Schedule } from '../schedule/turn.ts';
import type { StepType } from '../steps/step-type.ts';
import type { verifications } from './webhook-trigger.ts';

/** A flow, compiled and proven sound. Immutable; the same definition always gives the same plan. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** Who may start it; absent = anyone in the conversation. */
  readonly allow?: Named;
  /** JSON Schema of the input, object on top. */
  readonly input?: JsonObject;
  /** Where runs that start outside chat live, as a conversation address. */
  readonly conversation?: string;
  readonly triggers: readonly Trigger[];
  /** Longest time a run may take, waiting for people excluded. */
  readonly timeoutMs?: number;
  /** How long questions wait until people are reminded; null = for ever; absent = as the host has set it. */
  readonly humanReminderMs?: number | null;
  /** Most steps at work at once in a run: 2. */
  readonly maxParallel: number;
  readonly coolDown?: CoolDown;
  /** Most runs of it that have not ended; absent = any number. */
  readonly maxRuns?: number;
  /** What becomes of a run beyond that. */
  readonly whenFull: 'queue' | 'refuse';
  /** Which of the runs that wait for their turn start first. */
  readonly priority: 'high' | 'normal' | 'low';
  /** In the order they are written. */
  readonly steps: ReadonlyMap<string, PlanStep>;
  readonly edges: readonly PlanEdge[];
  readonly roots: readonly string[];
  /** What all its agents are told. */
  readonly instructions?: string;
  /** Where agents and scripts of a run work. */
  readonly workspace: 'none' | 'folder' | 'git';
  /** What one run and those below it may use up: tokens, tool calls, US dollars, milliseconds, turns. */
  readonly budget?: Readonly<Partial<Record<Ceiling, number>>>;
  /** What all runs of it may use up together on a day. */
  readonly perDay?: PerDay;
  /** Parts of the budgets at which a person is told, from 0 to 1. */
  readonly alerts: readonly number[];
  /** The agents of its steps, and the fallbacks of those, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** The schemas that outputs of its steps must match, by name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Whole `output` mapping, types kept. */
  readonly output?: OutputTemplate;
}

/** Shortest times between two starts of a flow by people, in milliseconds. */
export interface CoolDown {
  /** By the same person. */
  readonly user?: number;
  /** In the same conversation. */
  readonly conversation?: number;
}

/** A step of a plan. */
export interface PlanStep {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly stepType: StepType;
  /** The keys of its type, parsed by the type's schema. */
  readonly config: unknown;
  readonly runWhen: 'any' | 'all';
  readonly attempts: number;
  readonly firstRetryAfterMs: number;
  readonly timeoutMs?: number;
  /** Its results are kept and used again for the same call. */
  readonly cache: boolean;
  /** The steps among which its agent picks. */
  readonly choose?: Choice;
  /** Positions in `Plan.edges`, send-back edges apart. */
  readonly incoming: readonly number[];
  readonly outgoing: readonly number[];
  /** Send-back edges that leave this step. */
  readonly sendBacks: readonly number[];
}

/** An edge of a plan. */
export interface PlanEdge {
  readonly from: string;
  readonly exit: string;
  readonly to: string;
  readonly when?: Rules | Expression;
  /** It is taken only when the agent has picked its target. */
  readonly chosen?: true;
  /** Set on send-back edges only. */
  readonly sendBack?: SendBack;
}

/** What a send-back edge does. */
export interface SendBack {
  readonly maxRounds: number;
  /** The source's output goes along as feedback. */
  readonly feedback: boolean;
  /** The target and every step after it: what runs again. In plan order. */
  readonly stretch: readonly string[];
}

/** What starts runs of a flow. */
export type Trigger =
  | {
      readonly type: 'command';
      readonly command: string;
      readonly in?: readonly string[];
      /** Platforms with such commands offer it as one of its own: `/release`. A flow has one at most. */
      readonly slash?: true;
    }
  /** Somebody asks for it: by the chat command or the page; a program by the API, which takes `manual`, too; an MCP client. */
  | { readonly type: 'manual' | 'api' | 'mcp' }
  | ScheduleTrigger
  | WebhookTrigger;

/** Times at which runs start. */
export interface ScheduleTrigger {
  readonly type: 'schedule';
  /** `release`; further ones of the same flow `release#2`, in the order they are written. */
  readonly id: string;
  /** When it is due, in a form that is another one whenever the times are: `cron 0 9 * * 1-5 Europe/Berlin`. */
  readonly when: string;
  /** IANA name: `Europe/Berlin`. */
  readonly timezone: string;
  readonly times: Schedule;
  /** Checked, with defaults. */
  readonly input: JsonObject;
  /** What is done while the last run has not ended. */
  readonly overlap: 'skip' | 'queue' | 'allow';
  readonly pauseAfterFailures?: number;
}

/** An address that another system calls. A flow has one at most. */
export interface WebhookTrigger {
  readonly type: 'webhook';
  /** Name of the secret that the other system knows, too. */
  readonly secret: string;
  /** How a request proves that it does. */
  readonly verify: (typeof verifications)[number];
  /** What is the same for all its runs. */
  readonly input: JsonObject;
  /** Where fields of the input come from: a path into the body of the request, or `header:Name`. */
  readonly keep: Readonly<Record<string, string>>;
}

/** A value with placeholders in its text leaves. */
export type OutputTemplate =
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly OutputTemplate[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: OutputTemplate])[] }
  | { readonly kind: 'plain'; readonly value: null | boolean | number };
