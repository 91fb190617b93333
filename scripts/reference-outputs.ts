/** What the reference says of a step type that its schema does not: what it does, its exits, and what it leaves behind. */
export const stepNotes: Readonly<
  Record<string, { readonly does: string; readonly exits: string; readonly output: string }>
> = {
  message: {
    does: 'Posts a message as the flow bot, once for each round.',
    exits: '`done`',
    output: '`json.messageId`, `json.conversationName`, `json.url`',
  },
  approval: {
    does: 'Asks people, and goes on by the exit they choose.',
    exits: '`approved`, `rejected`, an action’s own id, `expired`',
    output:
      '`json.decision`, `json.feedback`, `json.by`, `json.values`, `json.files`, `json.answers`; `text`: the decision with its feedback',
  },
  http: {
    does: 'Sends a request.',
    exits: '`done`',
    output: '`json.values` (what `keep` names), `json.status`, `json.ok`, `json.body`; `text`: the body',
  },
  condition: {
    does: 'Checks earlier output against rules. Never fails.',
    exits: '`yes`, `no`',
    output: '`json.result`, `json.why` (a sentence for each rule)',
  },
  join: {
    does: 'Waits for every incoming branch.',
    exits: '`done`',
    output: '`text`: that of each branch that completed, under a heading with its name',
  },
  template: {
    does: 'Makes text or data from earlier output.',
    exits: '`done`',
    output: '`text`; with `data`, `json` is the object made, or `json.value` other data',
  },
  wait: {
    does: 'Waits a length of time, or until a time. Survives restarts.',
    exits: '`done`',
    output: '`json.until`',
  },
  agent: {
    does: 'A named agent carries out a task.',
    exits: '`done`',
    output: '`text`; with `reply.format: json`, the fields of the reply in `json`',
  },
  llm: { does: 'Calls a model once, without tools.', exits: '`done`', output: '`text`' },
  decision: {
    does: 'A model chooses among options, or scores them.',
    exits: '`done`',
    output: '`json.choice`, `json.confidence`, `json.probabilities`, `json.gated`',
  },
  script: {
    does: 'Runs a program in the workspace of the run; no shell is involved.',
    exits: '`done`',
    output: '`text`: what it printed; `json`: the same when it is a JSON object; `json.exitCode`',
  },
  flow: {
    does: 'Runs another flow, and waits for its end.',
    exits: '`done`',
    output: 'what that flow gives back',
  },
  map: {
    does: 'Runs a flow once for each item of a list.',
    exits: '`done`',
    output: '`json.items` in the order of the list, `json.failed`',
  },
  tool: {
    does: 'Calls one tool of an MCP server.',
    exits: '`done`',
    output: 'what the tool gives back: `text`, `json`',
  },
  history: {
    does: 'Reads what people wrote in a conversation.',
    exits: '`done`, and with `whenEmpty: silent` also `empty`',
    output: '`text`: the messages; `json.count` and more about them',
  },
};
