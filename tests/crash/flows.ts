import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { foldersBeside, readSources } from '../../src/loader/sources.ts';
import type { FlowSet } from '../../src/runner/catalog.ts';
import { bareSurroundings } from '../fakes/outside.ts';

/** The samples that these tests play. */
const samples = new Set(['release', 'incident', 'purchase'].map((id) => `flows/${id}.flow.yaml`));

/** Loads sample flows and those given as text, by id, with the agent of these tests. Throws when one is not sound. */
export async function loadFlows(texts: Readonly<Record<string, string>>, platform: string): Promise<FlowSet> {
  const sources = await readSources(foldersBeside('flows'));
  const own = Object.entries(texts).map(([id, text]) => ({ file: `${id}.flow.yaml`, text }));
  const set = loadFlowSet(
    {
      ...sources,
      files: [...sources.files.filter(({ file }) => samples.has(file)), ...own],
      agents: {
        files: [
          { file: 'helper.agent.yaml', text: helperAgent },
          { file: 'counter.agent.yaml', text: counterAgent },
        ],
        faults: [],
      },
    },
    { ...bareSurroundings, platforms: [platform], mcpServers: ['shop'] },
  );
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

/** What agents and models say in these flows. */
export const helperAgent = `
runtime: scripted
concurrency: 2
replies:
  - { when: { step: plan }, reply: Buy a lamp. }
  - { when: { step: which }, json: { choice: lamp, confidence: 0.9 } }
  - { when: { step: write }, reply: "A lamp, the green one." }
`;

/**
 * Runs a lane once for each of three items, and posts what came of them.
 * @param lane id of the flow that is run
 */
export function fanFlow(lane: string): string {
  return `
name: Fan
triggers:
  - { type: command, command: fan }
steps:
  each: { type: map, name: Each, over: [red, green, blue], uses: ${lane}, maxParallel: 2 }
  all: { type: message, name: All, to: "#ops", text: "{{each.text}} {{each.json.items}}" }
output: "{{each.json.items}}"
`;
}

/** What is done for each item: it is ordered, people say whether it is right, and others hear of it. */
export function fanItemFlow(server: string): string {
  return `
name: Fan item
input: { type: object, properties: { item: { type: string } }, required: [item] }
steps:
  order: { type: http, name: Order, method: POST, url: "${server}/order/{{input.item}}", allowHosts: ["${new URL(server).host}"] }
  sure: { type: approval, name: Sure, title: Is it right?, show: [order] }
  tell: { type: message, name: Tell, to: "#news", text: "Ordered {{input.item}}: {{order.text}}" }
output: { item: "{{input.item}}", by: "{{sure.json.by}}" }
`;
}

/** It must be allowed to look something up before it can answer. */
const counterAgent = `
runtime: scripted
access: { shop: { tools: { stock: ask } } }
replies:
  - { uses: [{ server: shop, tool: stock, arguments: { of: lamp } }] }
  - { reply: There are seven. }
`;

/** What it is asked. */
export const countFlow = `
name: Count
triggers:
  - { type: command, command: count }
steps:
  count: { type: agent, name: Count, agent: counter, task: How many lamps are there? }
  tell: { type: message, name: Tell, to: "#ops", text: "{{count.text}}" }
output: "{{count.text}}"
`;

/** A lane that asks nobody. */
export const otherFlow = `
name: Other
steps:
  say: { type: message, name: Say, to: "#news", text: Said. }
output: said
`;

/** Models are asked, an agent and a script work in one folder, tools are called, and people agree in between. */
export const workFlow = `
name: Work
workspace: folder
triggers:
  - { type: command, command: work }
steps:
  plan: { type: llm, name: Plan, preset: helper, prompt: What is needed? }
  which: { type: decision, name: Which, preset: helper, prompt: "{{plan.text}}", options: [lamp, chair] }
  write: { type: agent, name: Write, agent: helper, task: Write it down., inputs: [plan] }
  build: { type: script, name: Build, run: node, args: [build.js, "{{write.text}}"] }
  sure: { type: approval, name: Sure, title: Deploy it?, show: [build] }
  deploy: { type: tool, name: Deploy, server: shop, tool: deploy, arguments: { what: "{{which.json.choice}}" } }
  stock: { type: tool, name: Stock, server: shop, tool: stock, arguments: { of: "{{deploy.text}}" } }
  tell: { type: message, name: Tell, to: "#ops", text: "{{deploy.text}}; {{stock.text}}" }
output: "{{build.text}}"
`;

/**
 * What a real process can do without anything outside: a model, an agent and a script, then a lane for each of two items.
 * @param server where the script says that it ran
 */
export function crewFlow(server: string): string {
  const script = `fetch('${server}/build', { method: 'POST', body: process.argv[1] }).then(() => console.log('built'))`;
  return `
name: Crew
workspace: folder
triggers:
  - { type: command, command: crew }
steps:
  plan: { type: llm, name: Plan, preset: helper, prompt: What is needed? }
  write: { type: agent, name: Write, agent: helper, task: Write it down., inputs: [plan] }
  build: { type: script, name: Build, run: "${process.execPath}", args: ["-e", ${JSON.stringify(script)}, "{{write.text}}"] }
  each: { type: map, name: Each, over: [red, green], uses: crewItem, with: { what: "{{build.text}}" } }
  tell: { type: message, name: Tell, to: "#ops", text: "{{each.text}} {{each.json.items}}" }
output: "{{each.json.items}}"
`;
}

/** Asks whether an item may be sent, and says that it was. */
export const crewItemFlow = `
name: Crew item
input: { type: object, properties: { item: { type: string }, what: { type: string } } }
steps:
  sure: { type: approval, name: Sure, title: May it be sent? }
  sent: { type: message, name: Sent, to: "#general", text: "{{input.item}}: {{input.what}}" }
output: "{{input.item}}"
`;
