/** Flow files that the tests of commands share. */

/** Says what it was told. */
export const echo = `
name: Echo
description: Says what it was told.
triggers: [{ type: command, command: echo }, { type: manual }]
steps:
  say: { type: template, text: "Got: {{start.json.prompt}}" }
output: "{{say.text}}"
`;

/** One text field. */
export const release = `
name: Release notes
input:
  type: object
  properties: { version: { type: string, title: Version } }
  required: [version]
triggers: [{ type: command, command: release }, { type: manual }]
steps:
  draft: { type: template, text: "Release {{input.version}}" }
output: "{{draft.text}}"
`;

/** Two fields, one of them a number. */
export const purchase = `
name: Purchase
input:
  type: object
  properties:
    item: { type: string }
    amount: { type: number, minimum: 1 }
    note: { type: string }
  required: [item, amount]
triggers: [{ type: command, command: purchase }, { type: manual }]
steps:
  list: { type: template, data: "{{input.amount}}" }
output: { item: "{{input.item}}", amount: "{{input.amount}}" }
`;

/** Asks people of the conversation. */
export const review = `
name: Review
triggers: [{ type: command, command: review }, { type: manual }]
steps:
  ask: { type: approval, title: Is it good? }
`;

/** Asks two questions at once, one of them of named people. */
export const twoQuestions = `
name: Two questions
triggers: [{ type: command, command: both }, { type: manual }]
steps:
  begin: { type: template, text: go }
  budget: { type: approval, title: Is there budget?, approvers: { users: ["red:U0BO", "blue:U0BO"] } }
  security: { type: approval, title: Is it safe? }
  agreed: { type: join }
edges:
  - begin -> budget
  - begin -> security
  - budget.approved -> agreed
  - security.approved -> agreed
`;

/** Asks named people only; the one who started it may not answer. */
export const named = `
name: Named
triggers: [{ type: command, command: named }, { type: manual }]
steps:
  ask: { type: approval, title: May we?, approvers: { users: ["red:U0BO", "blue:U0BO", "red:U0ANA", "blue:U0ANA"] } }
`;

/** Waits for an hour. */
export const nap = `
name: Nap
triggers: [{ type: command, command: nap }, { type: manual }]
steps:
  sleep: { type: wait, for: 1h }
`;

/** Only two people may start it. */
export const guarded = `
name: Guarded
allow: { users: ["red:U0BO", "blue:U0BO"] }
triggers: [{ type: command, command: guarded }, { type: manual }]
steps:
  say: { type: template, text: hello }
`;

/** Fails after its first step. */
export const shaky = `
name: Shaky
triggers: [{ type: command, command: shaky }, { type: manual }]
steps:
  first: { type: template, name: First, text: one }
  call: { type: http, name: Call, url: "https://shaky.example/x" }
  last: { type: template, name: Last, text: "{{first.text}} {{call.json.status}}" }
output: "{{last.text}}"
`;

/** Asks, and that is all. @param config further keys of the question */
export const asking = (id: string, config: string) => `
name: ${id}
triggers: [{ type: command, command: ${id} }]
steps:
  ask: { type: approval, title: May we?, ${config} }
`;
