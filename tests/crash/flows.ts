import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { readFlowFolder } from '../../src/loader/folder.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';

/** Loads the sample flows and those given as text, by id. Throws when one of them is not sound. */
export async function loadFlows(texts: Readonly<Record<string, string>>, platform: string): Promise<FlowSet> {
  const samples = await readFlowFolder('flows');
  const own = Object.entries(texts).map(([id, text]) => ({ file: `${id}.flow.yaml`, text }));
  const folder = { files: [...samples.files, ...own], faults: samples.faults };
  const set = loadFlowSet(folder, { secrets: [], platforms: [platform], command: '/flow' });
  const faults = set.broken.flatMap((file) => file.faults);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return set;
}

/**
 * Asks two servers and posts a note side by side, asks people, waits a while and posts what came of it. A rejection
 * sends it back to the order, which is then placed again.
 * @param server where the requests go, such as `http://127.0.0.1:4000`
 * @param pause how long it waits in the end
 */
export function errandFlow(server: string, pause: string): string {
  const allowHosts = `allowHosts: ["${new URL(server).host}"]`;
  return `
name: Errand
input:
  type: object
  properties: { item: { type: string } }
  required: [item]
triggers:
  - { type: command, command: errand }
steps:
  list: { type: template, name: List, text: "One {{input.item}}" }
  price: { type: http, name: Price, url: "${server}/price", ${allowHosts} }
  order:
    type: http
    name: Order
    method: POST
    url: "${server}/order"
    body: { json: { item: "{{input.item}}", note: "{{check.json.feedback}}" } }
    ${allowHosts}
  note: { type: message, name: Note, to: "#ops", text: "Getting {{list.text}}" }
  all: { type: join, name: All }
  check: { type: approval, name: Check, title: Is it the right one?, show: [list, price] }
  pause: { type: wait, name: Pause, for: ${pause} }
  tell: { type: message, name: Tell, to: "#general", text: "Ordered: {{order.text}}" }
edges:
  - list -> price -> all
  - list -> order -> all
  - list -> note -> all
  - all -> check
  - check.approved -> pause -> tell
  - { from: check.rejected, to: order, sendBack: true }
output: "{{tell.json.messageId}}"
`;
}

/** Asks a server that is down at first; one branch fails for good and is taken up by a message. */
export function doubtFlow(server: string): string {
  return `
name: Doubt
triggers:
  - { type: command, command: doubt }
steps:
  begin: { type: template, text: Go }
  shaky: { type: http, name: Shaky, url: "${server}/shaky", attempts: 3, firstRetryAfter: 2s }
  gone: { type: http, name: Gone, url: "${server}/gone", attempts: 2, firstRetryAfter: 5s }
  sorry: { type: message, name: Sorry, to: "#ops", text: "No luck: {{gone.json.code}}" }
  both: { type: join, name: Both }
  sure: { type: approval, name: Sure, title: Go on? }
  last: { type: message, name: Last, to: "#ops", text: "{{shaky.text}}" }
edges:
  - begin -> shaky -> both
  - begin -> gone
  - gone.failed -> sorry -> both
  - both -> sure
  - sure.approved -> last
`;
}

/** Two approvals side by side send the same draft back; texts longer than one message. */
export function longFlow(): string {
  return `
name: Long
triggers:
  - { type: command, command: long }
steps:
  draft: { type: template, name: Draft, text: "${'Many words that fill a message and the next one. '.repeat(42)}{{style.json.feedback}}" }
  style: { type: approval, name: Style, title: Is the style good?, show: [draft] }
  facts: { type: approval, name: Facts, title: Are the facts right?, show: [draft] }
  done: { type: join, name: Done }
  post: { type: message, name: Post, to: "#general", text: "{{draft.text}}" }
edges:
  - draft -> style
  - draft -> facts
  - style.approved -> done
  - facts.approved -> done
  - done -> post
  - { from: style.rejected, to: draft, sendBack: true }
`;
}

/** Keeps one message true over all rounds, and posts another one in each. */
export const boardFlow = `
name: Board
triggers:
  - { type: command, command: board }
steps:
  board: { type: message, name: Board, to: "#ops", text: "Asked for: {{check.json.feedback}}.", onRound: edit, mention: ["slack:U0BO"] }
  news: { type: message, name: News, to: "#news", text: "{{board.json.messageId}}" }
  check: { type: approval, name: Check, title: Is it right? }
edges:
  - board -> news -> check
  - { from: check.rejected, to: board, sendBack: true }
output: "{{board.json.messageId}}"
`;

/** Asks people, and ends with what they say. */
export const voteFlow = `
name: Vote
triggers:
  - { type: command, command: vote }
steps:
  vote: { type: approval, name: Vote, title: Yes or no? }
`;
