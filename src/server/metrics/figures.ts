import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The figures of one Flowbot. The table in docs/operations.md lists them all. */
export interface Figures {
  readonly registry: Registry;
  readonly runsStarted: Counter<'flow' | 'trigger'>;
  readonly runsEnded: Counter<'flow' | 'status'>;
  readonly runSeconds: Histogram<'flow'>;
  readonly runsOpen: Gauge<'status'>;
  readonly stepsEnded: Counter<'type' | 'outcome'>;
  readonly stepSeconds: Histogram<'type'>;
  readonly attemptsFailed: Counter<'type'>;
  readonly questionsOpen: Gauge;
  readonly questionSeconds: Histogram<'kind' | 'how'>;
  readonly agentTokens: Counter<'flow'>;
  readonly agentCostUsd: Counter<'flow'>;
  readonly toolCalls: Counter<'flow' | 'outcome'>;
  readonly eventSeconds: Histogram<'platform'>;
  readonly eventsWaiting: Gauge;
  readonly postsWaiting: Gauge;
  readonly chatUp: Gauge<'platform'>;
  readonly commitSeconds: Histogram;
}

/** From a part of a millisecond to some seconds. */
const QUICK = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3];
/** From a second to an hour. */
const SLOW = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
/** From a minute to some days: people answer. */
const HUMAN = [60, 300, 900, 3_600, 4 * 3_600, 12 * 3_600, 86_400, 3 * 86_400];

/** Makes them, with those of the process. Nothing is shared with another Flowbot in the same process. */
export function createFigures(): Figures {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames: [...labelNames], registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name, help, labelNames: [...labelNames], registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly L[] = [],
  ) => new Histogram<L>({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers });
  return {
    registry,
    runsStarted: counter('flowbot_runs_started_total', 'Runs that were started.', ['flow', 'trigger']),
    runsEnded: counter('flowbot_runs_ended_total', 'Runs that have ended.', ['flow', 'status']),
    runSeconds: histogram('flowbot_run_seconds', 'From start to end, waiting included.', SLOW, ['flow']),
    runsOpen: gauge('flowbot_runs_open', 'Runs that have not ended.', ['status']),
    stepsEnded: counter('flowbot_steps_ended_total', 'Steps that were done, failed or skipped.', [
      'type',
      'outcome',
    ]),
    stepSeconds: histogram('flowbot_step_seconds', 'From the begin of an attempt to its end.', SLOW, [
      'type',
    ]),
    attemptsFailed: counter('flowbot_attempts_failed_total', 'Attempts of steps that failed.', ['type']),
    questionsOpen: gauge('flowbot_questions_open', 'Questions that wait for people.'),
    questionSeconds: histogram('flowbot_question_seconds', 'From a question to its end.', HUMAN, [
      'kind',
      'how',
    ]),
    agentTokens: counter('flowbot_agent_tokens_total', 'Tokens of agents.', ['flow']),
    agentCostUsd: counter('flowbot_agent_cost_usd_total', 'Known cost of agents, in US dollars.', ['flow']),
    toolCalls: counter('flowbot_tool_calls_total', 'Calls of tools by agents.', ['flow', 'outcome']),
    eventSeconds: histogram(
      'flowbot_chat_event_seconds',
      'From an event of a chat to its being durable, and so acknowledged.',
      QUICK,
      ['platform'],
    ),
    eventsWaiting: gauge('flowbot_chat_events_waiting', 'Events of chats whose work is not done.'),
    postsWaiting: gauge('flowbot_posts_waiting', 'Posts that are not shown, or not as they should be.'),
    chatUp: gauge('flowbot_chat_up', 'Whether a platform is connected.', ['platform']),
    commitSeconds: histogram('flowbot_commit_seconds', 'How long a commit of the store takes.', QUICK),
  };
}
