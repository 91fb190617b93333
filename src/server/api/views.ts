import type { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import { usageData } from '../../commands/usage-told.ts';
import type { Plan, Trigger } from '../../engine/flow/plan.ts';
import { type Person, personAddress } from '../../engine/people.ts';
import { askedOf } from '../../engine/run/answer.ts';
import { carriedFingerprint } from '../../engine/run/fingerprint.ts';
import { shownContent } from '../../engine/run/question-content.ts';
import { own } from '../../engine/run/record.ts';
import { usageOf } from '../../engine/run/spending.ts';
import { isFinal, type Question, type RunState, type StepState } from '../../engine/run/state.ts';
import { scheduleInWords } from '../../engine/schedule/words.ts';
import type { RunRow, StoredRun } from '../../ports/store.ts';
import { compose } from '../../render/markdown/index.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import type { flowResource, questionResource, runResource, runSummaryResource } from './resources.ts';

export type FlowView = z.output<typeof flowResource>;
export type RunSummaryView = z.output<typeof runSummaryResource>;
export type RunView = z.output<typeof runResource>;
export type QuestionView = z.output<typeof questionResource>;
type StepView = RunView['steps'][string];

/** A flow, as somebody may know it. @param whyNot why they may not start it */
export function flowView(bot: Bot, flow: LoadedFlow, whyNot: string | undefined): FlowView {
  const { id, file, version, plan } = flow;
  return {
    id,
    name: plan.name,
    description: plan.description ?? null,
    version,
    file: shortFile(file),
    enabled: bot.catalog.isEnabled(flow),
    mayStart: whyNot === undefined,
    whyNot: whyNot ?? null,
    input: plan.input ?? null,
    triggers: plan.triggers.map((trigger) => ({
      type: trigger.type,
      what: triggerWords(bot, flow, trigger),
    })),
    steps: [...plan.steps.values()].map((step) => ({ id: step.id, name: step.name, type: step.type })),
  };
}

/** A file as its flow's authors know it; where it lies on the host is nobody's business. */
export function shortFile(file: string): string {
  return file.split(/[/\\]/).slice(-2).join('/');
}

/** What starts a flow, as somebody would write or hear it. */
export function triggerWords({ settings }: Bot, { id }: LoadedFlow, trigger: Trigger): string {
  switch (trigger.type) {
    case 'command':
      return `${settings.prefix}${trigger.command}${trigger.in ? ` in ${trigger.in.join(', ')}` : ''}`;
    case 'manual':
      return `${settings.command} run ${id}`;
    case 'schedule':
      return scheduleInWords(trigger);
    case 'webhook':
      return `POST /hooks/${id}`;
    case 'api':
      return `POST /v1/flows/${id}/runs`;
    case 'mcp':
      return `the MCP tool ${id}`;
  }
}

export function summaryView(row: RunRow): RunSummaryView {
  return {
    id: row.id,
    flow: row.flow,
    version: row.version,
    status: row.status,
    ok: isFinal(row.status) ? row.status === 'succeeded' : null,
    startedAt: iso(row.startedAtMs),
    updatedAt: iso(row.updatedAtMs),
    startedBy: row.startedBy ? personView(row.startedBy) : null,
    partOf: row.parent?.root ?? null,
  };
}

/** A run with all that is known of it. @param isTheirs which of its open questions name whoever looks */
export function runView(
  bot: Bot,
  { row, state }: StoredRun,
  plan: Plan,
  isTheirs: (question: Question) => boolean,
): RunView {
  const open = Object.values(state.questions).filter((question) => question.state.status === 'open');
  return {
    ...summaryView(row),
    trigger: state.start.trigger,
    conversation: state.start.homeName ?? null,
    input: state.start.input,
    output: state.output ?? null,
    reason: state.reason ?? null,
    queuedBecause: bot.runs.whyQueued(row.id) ?? null,
    retryOf: state.start.retryOf?.run ?? null,
    steps: Object.fromEntries([...plan.steps.keys()].map((id) => [id, stepView(plan, state, id)] as const)),
    questions: open.map((question) => questionView(row, question, isTheirs(question))),
    usage: usageData(usageOf(state)),
  };
}

function stepView(plan: Plan, state: RunState, id: string): StepView {
  const step = own(state.steps, id);
  const { name = id, type = '' } = plan.steps.get(id) ?? {};
  const output = own(state.outputs, id);
  const usage = own(state.usageOfSteps ?? {}, id);
  return {
    name,
    type,
    status: step?.status ?? 'pending',
    round: step?.round ?? 1,
    attempt: step && 'attempt' in step ? step.attempt : null,
    exit: step?.status === 'done' ? step.exit : null,
    failure: step ? failureOf(step) : null,
    output: output ? { text: output.text, json: output.json } : null,
    usage: usage ? usageData(usage) : null,
  };
}

function failureOf(step: StepState): string | null {
  return step.status === 'failed' || step.status === 'retrying' ? step.failure.message : null;
}

/** A question, open or not. @param isTheirs it names whoever looks */
export function questionView(
  { id: run, flow }: Pick<RunRow, 'id' | 'flow'>,
  question: Question,
  isTheirs: boolean,
): QuestionView {
  return {
    id: question.id,
    run,
    flow,
    step: question.step,
    kind: question.kind,
    title: question.title,
    status: question.state.status,
    openedAt: iso(question.openedAtMs),
    expiresAt: question.expiry ? iso(question.expiry.atMs) : null,
    approvers: question.approvers ? [...askedOf(question)] : null,
    isYours: isTheirs,
    actions: question.actions.map(({ id: action, label, comment, bare }) => ({
      id: action,
      label,
      comment,
      withForm: question.form !== undefined && !bare,
    })),
    form: question.form ?? null,
    covers: carriedFingerprint(question.covers),
    text: question.ask ? compose(shownContent(question.ask)).trim() : '',
    answers: question.answers.map(({ by, action, feedback, atMs }) => ({
      by: personView(by),
      action,
      comment: feedback,
      at: iso(atMs),
    })),
  };
}

export function personView(person: Person): { readonly address: string; readonly name: string } {
  return { address: personAddress(person), name: person.name };
}

export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
