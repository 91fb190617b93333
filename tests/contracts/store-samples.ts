import type { Conversation } from '../../src/engine/agents/conversation.ts';
import type { PostContent } from '../../src/engine/post.ts';
import type { CallEffect } from '../../src/engine/run/effect.ts';
import type { RunEvent } from '../../src/engine/run/event.ts';
import type { RunState } from '../../src/engine/run/state.ts';
import type { ChatMessage } from '../../src/ports/chat.ts';
import type { Commit, QuestionRow, RunRow, StoredDelivery } from '../../src/ports/store.ts';

/** Plain, valid data for tests of stores: name what matters, the rest is filled in. */

export const samplePlace = { platform: 'slack', conversation: 'C1' };

export type RunMove = NonNullable<Commit['run']>;

export function sampleRow(id: string, more: Partial<RunRow> = {}): RunRow {
  return {
    id,
    flow: 'release',
    version: 'v1',
    status: 'running',
    startedAtMs: 1_000,
    updatedAtMs: 1_000,
    ...more,
  };
}

export function sampleState(id: string, more: Partial<RunMove['state']> = {}): RunMove['state'] {
  return {
    id,
    status: 'running',
    start: { trigger: 'manual', text: '', prompt: '', input: {}, files: [] },
    startedAtMs: 1_000,
    steps: {},
    fates: {},
    feedback: {},
    sentBack: {},
    draining: [],
    questions: {},
    review: {},
    httpRequests: 0,
    agentSteps: 0,
    spentMs: 0,
    ...more,
  };
}

/** A run's move from the revision it was loaded at (0 = it is new) to the next. */
export function sampleMove(id: string, expectedRevision: number, more: Partial<RunMove> = {}): RunMove {
  return {
    row: sampleRow(id),
    expectedRevision,
    state: sampleState(id),
    outputs: [],
    events: [],
    calls: [],
    timers: [],
    ended: [],
    questions: { open: [], closed: [] },
    ...more,
  };
}

/** An event that says which one it is. */
export function sampleEvent(atMs: number, timer = 'wake'): RunEvent {
  return { type: 'timer.fired', atMs, timer };
}

export function sampleCall(key: string): CallEffect {
  const attempt = { step: 'publish', round: 1, attempt: 1 };
  return { kind: 'message', key, post: `${key}/post`, to: 'slack:#releases', prose: [], ...attempt };
}

export function sampleContent(text: string): PostContent {
  return { prose: [{ kind: 'markdown', text }], buttons: [], notify: [] };
}

/** An agent's conversation that waits in the middle of a turn. */
export function sampleConversation(prompt: string): Conversation {
  const use = { id: 'c1', name: 'files_read', arguments: { path: prompt } };
  return {
    prompt,
    turns: [{ kind: 'said', text: prompt, uses: [use] }],
    results: [],
    calls: [],
    workedMs: 1_500,
    turnsTaken: 1,
    toolCalls: 0,
    askedAgain: 0,
  };
}

export function sampleQuestion(id: string, run: string, more: Partial<QuestionRow> = {}): QuestionRow {
  return { id, run, flow: 'release', title: 'Publish?', openedAtMs: 1_000, ...more };
}

export function sampleDelivery(id: string, text = 'hello'): StoredDelivery {
  const event: ChatMessage = {
    type: 'message',
    id,
    atMs: 1_000,
    person: { platform: 'slack', id: 'U1', name: 'Ana' },
    message: { ...samplePlace, id: 'm1' },
    text,
    toBot: false,
    files: [],
  };
  return { id: `slack:${id}`, event, receivedAtMs: 1_001 };
}

/** The state that `run` gives back for a stored one. */
export function stateWith(state: RunMove['state'], outputs: RunState['outputs'] = {}): RunState {
  return { ...state, outputs };
}
