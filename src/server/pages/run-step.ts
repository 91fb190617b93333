import { usageWords } from '../../engine/agents/usage-words.ts';
import { wordsFor } from '../../engine/agents/words.ts';
import { formatDuration } from '../../engine/data/duration.ts';
import type { Plan, PlanStep } from '../../engine/flow/plan.ts';
import type { Json } from '../../engine/json.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { RunEvent } from '../../engine/run/event.ts';
import { type AttemptTold, stepHistory } from '../../engine/run/history.ts';
import { isFinal, type RunState } from '../../engine/run/state.ts';
import { proseText } from '../../render/markdown/index.ts';
import { type Content, type Html, html } from './html.ts';
import { details, facts, jsonText, longText, moment, pathOf, to } from './parts.ts';

/** Most attempts that are shown, the newest; and of each most calls, the first ones. */
const SHOWN_MAX = 20;

/** A step of a run: every attempt with what it was asked, what came of it, and what it cost. */
export function stepDetail(
  plan: Plan,
  state: RunState,
  journal: readonly RunEvent[],
  step: PlanStep,
  isWhole: boolean,
): Html {
  const { id: run } = state;
  const { attempts, skipped } = stepHistory(plan, run, journal, step.id);
  const shown = attempts.slice(-SHOWN_MAX).toReversed();
  const left = attempts.length - shown.length;
  return html`<h2>${step.name}</h2>
${facts([
  ['Step', html`<code>${step.id}</code>`],
  ['Type', step.type],
  ['Attempts', attempts.length],
])}
${attempts.length === 0 && skipped.length === 0 && html`<p class="empty">Its turn has not come.</p>`}
${skipped.map(({ round, tainted, atMs }) => html`<p>Round ${round}: skipped ${tainted && 'because of a failure '}at ${moment(atMs)}.</p>`)}
${shown.map((attempt, index) => attemptCard(plan, attempt, signOf(state, step.id, attempt, index === 0), index === 0, isWhole))}
${left > 0 && html`<p class="empty">… and ${left} earlier attempts: the journal has them.</p>`}
<p>${to(`${pathOf('runs', run)}/again?from=${encodeURIComponent(step.id)}`, 'Run again from here …')}</p>`;
}

type Sign = keyof typeof END_WORDS;

/** How an attempt stands: one that has not ended, and goes on no more, was cut off. */
function signOf({ status, steps }: RunState, step: string, { end }: AttemptTold, isLast: boolean): Sign {
  if (end) return end.kind;
  if (!isLast || isFinal(status)) return 'cut';
  return steps[step]?.status === 'asking' ? 'asking' : 'running';
}

function attemptCard(plan: Plan, attempt: AttemptTold, sign: Sign, isOpen: boolean, isWhole: boolean): Html {
  const { round, attempt: count, beganAtMs, endedAtMs, calls, tools, usage, isCached, end } = attempt;
  const took = endedAtMs !== undefined && formatDuration(endedAtMs - beganAtMs);
  const shownCalls = calls.slice(0, SHOWN_MAX);
  const left = calls.length - shownCalls.length;
  const content = html`${facts([
    ['Began', moment(beganAtMs)],
    ['Took', took],
    ['Used up', usage && usageWords(usage)],
    ['Kept result', isCached && 'It was not asked: an earlier result was used.'],
  ])}
${shownCalls.map((call) => callShown(plan, call, isWhole))}
${left > 0 && html`<p class="empty">… and ${left} more.</p>`}
${tools.slice(0, SHOWN_MAX).map((tool) => details(html`Tool ${tool.tool} of ${tool.server}: ${tool.outcome}`, html`${longText(tool.arguments, 'Arguments')}`))}
${tools.length > SHOWN_MAX && html`<p class="empty">… and ${tools.length - SHOWN_MAX} more calls of tools.</p>`}
${endShown(end)}`;
  const title = html`Round ${round}, attempt ${count}: <span class="badge ${sign}">${END_WORDS[sign]}</span>`;
  return html`<div class="card">${details(title, content, isOpen)}</div>`;
}

const END_WORDS = {
  done: 'done',
  failed: 'failed',
  unknown: 'outcome unknown',
  running: 'under way',
  asking: 'asks people',
  cut: 'cut off',
} as const;

function endShown(end: AttemptTold['end']): Content {
  switch (end?.kind) {
    case undefined:
      return false;
    case 'done':
      return html`<h3>Output</h3><p>Left by <code>${end.exit}</code>.</p>${longText(end.output.text, 'Output as text')}${hasFields(end.output.json) && jsonText(end.output.json, 'Output as data')}`;
    case 'failed':
      return html`<h3>Error</h3><p class="alert">${end.failure.message}</p><p class="soft">${end.failure.code}${end.retryAtMs !== undefined && html`; tried again at ${moment(end.retryAtMs)}`}</p>${end.failure.reply !== undefined && details('The reply that was of no use', longText(end.failure.reply, 'Reply'))}`;
    case 'unknown':
      return html`<h3>Outcome unknown</h3><p class="alert">${end.message}</p>`;
  }
}

function hasFields(json: Json): boolean {
  return typeof json === 'object' && json !== null && Object.keys(json).length > 0;
}

/** What was asked of the outside. Secrets are in it by name only. */
function callShown(plan: Plan, effect: CallEffect, isWhole: boolean): Html {
  switch (effect.kind) {
    case 'agent': {
      const agent = plan.agents.get(effect.call.agent);
      const { system, prompt } = wordsFor(agent ?? {}, effect.call, () => 'data');
      return html`<h3>Prompt for ${effect.call.agent}</h3>
${isWhole && system !== undefined && details('What it is told beforehand', longText(system, 'Instructions'))}
${longText(prompt, 'Prompt')}`;
    }
    case 'http': {
      const { method, url, headers, body } = effect.call;
      const lines = headers.map(([name, value]) => `${name}: ${secretText(value)}`);
      return html`<h3>Request</h3>${longText([`${method} ${url}`, ...lines, ...(body ? ['', secretText(body.text)] : [])].join('\n'), 'Request')}`;
    }
    case 'message':
      return html`<h3>Post</h3>${longText(effect.whole ?? proseText(effect.prose), 'Post')}`;
    case 'lane':
      return html`<h3>Run ${effect.index + 1} of ${effect.uses}</h3>${jsonText(effect.input, 'Input')}`;
    case 'script':
    case 'tool':
    case 'plugin':
      return html`<h3>Input</h3>${jsonText(plainOf(effect.call), 'Input')}`;
    case 'history':
      return html`<h3>Reads ${effect.conversation}</h3>${facts([
        ['From', moment(effect.sinceMs)],
        ['Until', moment(effect.untilMs)],
        ['At most', `${effect.maxMessages} messages`],
      ])}`;
    case 'check':
      return html`<p class="soft">Looked whether those who are asked can answer.</p>`;
  }
}

function plainOf(call: object | Json): Json {
  return JSON.parse(JSON.stringify(call));
}

function secretText(parts: Extract<CallEffect, { kind: 'http' }>['call']['headers'][number][1]): string {
  return parts.map((part) => (part.kind === 'secret' ? `{{secrets.${part.name}}}` : part.text)).join('');
}
