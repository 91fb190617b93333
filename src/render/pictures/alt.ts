import { beginning } from '../../engine/prose.ts';
import type { Graph, GraphNode, NodeState } from './graph.ts';
import { plainLine } from './text.ts';

/** Longest description that chats take, in UTF-16 units. */
const ALT_MAX_CHARS = 1_000;

const WORDS: Readonly<Record<NodeState, string>> = {
  planned: 'to come',
  working: 'at work',
  asking: 'waiting',
  sleeping: 'waiting for its time',
  retrying: 'to be tried again',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
};

/** What a picture shows, in words. @param status of the run, if it is one */
export function altOf({ title, nodes }: Graph, status: string | undefined): string {
  const what = status === undefined ? 'Flow' : 'Run of';
  const head = `${what} ${plainLine(title)}${status === undefined ? '' : `, ${status}`}: ${nodes.length} ${nodes.length === 1 ? 'step' : 'steps'}.`;
  const steps = nodes.map((node) =>
    status === undefined ? `${plainLine(node.name)} (${node.type})` : told(node),
  );
  return beginning(`${head} ${steps.join(status === undefined ? ', ' : '; ')}.`, ALT_MAX_CHARS);
}

function told({ name, state, note }: GraphNode): string {
  const more = note === '' ? '' : `, ${plainLine(note)}`;
  return `${plainLine(name)} is ${WORDS[state]}${more}`;
}
