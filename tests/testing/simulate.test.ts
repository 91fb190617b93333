import { describe, expect, it } from 'vitest';
import { tested } from './tested.ts';

const review = `
conversation: "#ops"
steps:
  draft: { type: template, text: "Notes. {{review.json.feedback}}" }
  review: { type: approval, show: [draft] }
  publish: { type: message, to: "#news", text: "{{draft.text}}" }
edges:
  - draft -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true, maxRounds: 2 }
output: "{{publish.json.messageId}}"
`;

const form = `
conversation: "#ops"
steps:
  ask:
    type: approval
    approvers: { users: ["slack:U0BO"], roles: [legal, finance] }
    quorum: each
    form: { type: object, properties: { until: { type: string, format: date, title: Until when } }, required: [until] }
    expiresAfter: 2d
    onExpire: rejected
  no: { type: template, text: "No." }
  yes: { type: template, text: "Until {{ask.json.values.until}}" }
edges: [ask.approved -> yes, ask.rejected -> no]
`;

describe('people in a test', () => {
  it.each([
    [
      'an approval goes on',
      review,
      'acts: [{ answer: approve }]\nexpect: { path: [draft, review, publish], asked: [review], output: m1 }',
    ],
    [
      'a send-back runs its steps again, each as often in the path as it ran',
      review,
      `acts: [{ answer: reject, comment: More. }, { answer: reject, comment: Again. }, { answer: approve }]
expect:
  path: [draft, review, draft, review, draft, review, publish]
  asked: [review, review, review]
  posts: ["Notes. Again."]`,
    ],
    [
      'one send-back too many',
      review,
      `acts: [{ answer: reject }, { answer: reject }, { answer: reject }]
expect: { status: failed, posts: [], skipped: [] }`,
    ],
    ['what nobody answers waits', review, 'expect: { status: waiting, path: [draft], posts: [] }'],
    [
      'somebody cancels it',
      review,
      'acts: [{ pass: 1h }, { cancel: true, by: cy }]\nexpect: { status: cancelled, reason: Cancelled by cy. }',
    ],
    [
      'those who are asked answer, each with what is theirs',
      form,
      `acts:
  - { answer: approve, by: "slack:U0BO", values: { until: "2030-02-01" } }
  - { answer: approve, by: cy, roles: [legal], values: { until: "2030-02-02" } }
  - { answer: approve, by: dee, roles: [finance], values: { until: "2030-02-03" } }
expect: { path: [ask, yes], outputs: { yes: Until 2030-02-03 }, skipped: [no] }`,
    ],
    [
      'others may not, nor who has started it, nor with a form that is not filled in',
      form,
      `by: eve
acts:
  - { answer: approve, by: "slack:U0EVE", values: { until: "2030-02-01" }, refused: Only slack:U0BO }
  - { answer: approve, by: cy, roles: [sales], values: { until: "2030-02-01" }, refused: true }
  - { answer: approve, by: eve, values: { until: "2030-02-01" }, refused: You started this run }
  - { answer: approve, by: cy, roles: [legal], values: { until: soon }, refused: Until when must be a date }
expect: { status: waiting }`,
    ],
    [
      'what is decided stays decided',
      review,
      'acts: [{ answer: approve }, { answer: reject, by: cy, refused: bo has already answered “Approve” }]\nexpect: { status: succeeded }',
    ],
    [
      'time for an answer ends',
      form,
      'acts: [{ pass: 2d1m }]\nexpect: { path: [ask, no], outputs: { ask: { decision: rejected } } }',
    ],
    [
      'what is late is refused',
      form,
      'acts: [{ pass: 2d }, { answer: reject, refused: This question expired }]\nexpect: { status: waiting, path: [] }',
    ],
  ])('%s', (_, flow, test) => {
    expect(tested(flow, test)).toEqual([]);
  });

  it.each([
    [
      'an answer that does not count',
      form,
      'acts: [{ answer: approve, by: "slack:U0EVE" }]',
      'slack:U0EVE answers “approve” to ask, and that is refused: Only slack:U0BO, @legal, @finance may answer this.',
    ],
    [
      'one that counts although it should not',
      review,
      'acts: [{ answer: approve, refused: true }]',
      'bo answers “approve” to review, and that counts: the test expects that it is refused.',
    ],
    [
      'one that is refused for another reason',
      form,
      'acts: [{ answer: approve, by: ana, refused: Guests }]',
      'ana answers “approve” to ask, and that is refused for another reason than “Guests”: You started this run, so somebody else has to answer.',
    ],
    [
      'an answer that there is not',
      review,
      'acts: [{ answer: aprove }]',
      'bo answers “aprove” to review, and that is refused: “aprove” is not an answer here: approve, reject.',
    ],
    [
      'an answer to what is not asked',
      review,
      'acts: [{ answer: approve, step: publish }]',
      'publish is not asked when “approve” is to be answered; what is asked then: review.',
    ],
    [
      'an answer when all is over',
      review,
      'acts: [{ answer: approve }, { answer: approve }]',
      'Nothing is asked when “approve” is to be answered.',
    ],
  ])('%s is a problem', (_, flow, test, problem) => {
    expect(tested(flow, test)).toEqual([problem]);
  });
});

describe('time in a test', () => {
  const waits = `
conversation: "#ops"
steps:
  wait: { type: wait, for: 3d }
  ask: { type: approval, expiresAfter: 1d, remindAfter: 1h }
  late: { type: template, text: "Too late." }
edges: [wait -> ask, ask.expired -> late]
`;
  const both = waits.replace('wait -> ask', 'ask.approved -> wait');
  it.each([
    [
      'waiting goes by of itself',
      waits,
      'acts: [{ answer: approve }]\nexpect: { status: succeeded, path: [wait, ask] }',
    ],
    [
      'it can be cut short',
      waits,
      'acts: [{ pass: 2d }, { cancel: true }]\nexpect: { status: cancelled, path: [] }',
    ],
    ['people have all the time there is', waits, 'expect: { status: waiting, path: [wait] }'],
    [
      'until it is let pass',
      waits,
      'acts: [{ pass: 4d1m }]\nexpect: { status: succeeded, path: [wait, ask, late] }',
    ],
    [
      'what is asked is answered before a wait is over',
      both,
      'acts: [{ answer: approve }]\nexpect: { path: [ask, wait] }',
    ],
    [
      'times are those of the clock',
      'steps: { wait: { type: wait, for: 90s }, say: { type: template, text: "{{run.startedAt}} {{wait.text}}" } }',
      'at: "2031-05-01T12:00:00+02:00"\nexpect: { outputs: { say: "2031-05-01T10:00:00.000Z 2031-05-01T10:01:30.000Z" } }',
    ],
    [
      'a run that takes too long is ended',
      'timeout: 1h\nsteps: { sort: { type: script, run: sort, timeout: 55m }, sum: { type: script, run: sum, timeout: 55m } }',
      'fakes: { sort: { delay: 50m }, sum: { delay: 20m } }\nexpect: { reason: The run took longer than its time limit., path: [sort] }',
    ],
    [
      'so is a step',
      'steps: { past: { type: history, conversation: "#ops", timeout: 1m } }',
      'fakes: { past: { delay: 2m } }\nexpect: { reason: \'"past" failed: it took longer than its time limit of 1 minute.\' }',
    ],
    [
      'what takes longer ends later',
      'steps: { a: { type: script, run: a }, b: { type: script, run: b }, c: { type: template, text: c }, d: { type: join } }\nedges: [c -> a -> d, c -> b -> d]',
      'fakes: { a: { delay: 2s }, b: { delay: 1s } }\nexpect: { path: [c, b, a, d] }',
    ],
  ])('%s', (_, flow, test) => {
    expect(tested(flow, test)).toEqual([]);
  });
});

describe('other flows that are run in a test', () => {
  const flows = {
    flow: `
conversation: "#ops"
steps:
  deploy: { type: flow, uses: deploy, with: { to: staging } }
  say: { type: message, text: "{{deploy.text}}" }
`,
    deploy: `
input: { type: object, properties: { to: { type: string } }, required: [to] }
conversation: "#ops"
steps:
  build: { type: script, run: make }
  ask: { type: approval, title: "Sure?" }
  note: { type: template, text: "{{build.text}} is on {{input.to}}" }
`,
  };
  const list = {
    flow: `
conversation: "#ops"
steps:
  each: { type: map, over: [a, b, c], uses: one, maxParallel: 3, onItemFailure: collect }
`,
    one: `
input: { type: object, properties: { item: { type: string } }, required: [item] }
conversation: "#ops"
steps:
  work: { type: script, run: work, args: ["{{input.item}}"] }
  ask: { type: approval }
output: { name: "{{input.item}}" }
edges: [work -> ask]
`,
  };
  it.each([
    [
      'their steps have fakes, answers and places in the path',
      flows,
      `fakes: { deploy/build: { stdout: v7 } }
acts: [{ step: deploy/ask, answer: approve }]
expect:
  path: [deploy/build, deploy/ask, deploy/note, deploy, say]
  asked: [deploy/ask]
  posts: [{ to: "#ops", text: v7 is on staging }]
  outputs: { deploy/note: v7 is on staging, deploy: v7 is on staging }`,
    ],
    [
      'a rejection in one of them fails the step',
      flows,
      'fakes: { deploy/build: { stdout: v7 } }\nacts: [{ answer: reject, comment: No. }]\nexpect: { status: failed, reason: \'"deploy" failed: "ask" was rejected by bo: No.\' }',
    ],
    [
      'when people refuse more budget, what another flow still has to do fails',
      {
        flow: 'conversation: "#ops"\nbudget: { toolCalls: 1 }\nsteps: { deploy: { type: flow, uses: deploy } }',
        deploy:
          'steps: { a: { type: tool, server: s, tool: a }, b: { type: tool, server: s, tool: b }, c: { type: template, text: c } }',
      },
      `fakes: { deploy/a: { text: a }, deploy/b: { text: b } }
acts: [{ step: deploy, answer: stop }]
expect:
  asked: [deploy]
  path: [deploy/a, deploy/b, deploy]
  reason: '"deploy" failed: "b" failed: the budget of this run is used up, and more was refused.'`,
    ],
    [
      'the whole of one can be faked',
      flows,
      'fakes: { deploy: { text: all is well, delay: 1m } }\nexpect: { path: [deploy, say], posts: [all is well] }',
    ],
    [
      'its output, too',
      flows,
      'fakes: { deploy: { output: { a: 1 } } }\nexpect: { outputs: { deploy: { a: 1 } }, posts: [\'{"a":1}\'] }',
    ],
    [
      'or its failure',
      flows,
      'fakes: { deploy: { failure: No luck. } }\nexpect: { reason: \'"deploy" failed: No luck.\' }',
    ],
    [
      'cancelling ends them all',
      flows,
      'fakes: { deploy/build: { stdout: v7 } }\nacts: [{ pass: 1m }, { cancel: true }]\nexpect: { status: cancelled, path: [deploy/build] }',
    ],
    [
      'items have their own names, fakes and answers; what is not said of one is said of all',
      list,
      `fakes: { each/work: { stdout: fine }, "each#2/work": { failure: Broken. } }
acts: [{ step: "each#3/ask", answer: approve }, { step: each/ask, answer: approve }]
expect:
  status: succeeded
  path: ["each#1/work", "each#2/work", "each#3/work", "each#3/ask", "each#1/ask", each]
  outputs: { each: { items: [{ name: a }, null, { name: c }] } }`,
    ],
    [
      'items can be faked as a whole, one after the other',
      list,
      'fakes: { each: [{ output: 1 }, { failure: Broken. }, { output: 3 }] }\nexpect: { outputs: { each: { items: [1, null, 3] } } }',
    ],
    [
      'they share the slots of the flow at the top',
      { ...list, flow: list.flow.replace('steps:', 'maxParallel: 1\nsteps:') },
      `fakes: { each/work: { stdout: fine, delay: 1m } }
acts: [{ pass: 90s }, { cancel: true }]
expect: { path: ["each#1/work"], asked: ["each#1/ask"] }`,
    ],
    [
      'and what one run may send',
      {
        flow: `steps: { list: { type: script, run: seq }, each: { type: map, over: "{{list.json.all}}", uses: one, maxItems: 300 } }`,
        one: 'input: { type: object, properties: { item: { type: number } } }\nsteps: { get: { type: http, url: "https://api.example.com/" } }',
      },
      `fakes: { list: { stdout: '{"all":[${Array.from({ length: 201 }, (_, index) => index).join()}]}' }, each/get: { body: x } }
expect: { reason: '"each" failed: item 201 of 201: "get" failed: this run has sent 200 HTTP requests, which is the limit for one run.' }`,
    ],
    [
      'an input that does not fit',
      { ...flows, flow: flows.flow.replace('to: staging', 'to: [1]') },
      'expect: { reason: \'"deploy" failed: the input of deploy does not fit: to must be text.\' }',
    ],
  ])('%s', (_, set, test) => {
    expect(tested(set, test)).toEqual([]);
  });
});

describe('the path of a case', () => {
  it.each([
    [
      'has each round of a loop in which nothing is called',
      `
steps:
  count: { type: template, text: Again }
  enough: { type: condition, all: [{ step: count, path: text, is: Enough }] }
  end: { type: template, text: End }
edges:
  - count -> enough
  - enough.yes -> end
  - { from: enough.no, to: count, sendBack: true, maxRounds: 2 }
`,
      'expect: { status: failed, path: [count, enough, count, enough, count, enough] }',
    ],
    [
      'has what fails, before what takes it up',
      `
steps:
  get: { type: script, run: get, attempts: 2 }
  sorry: { type: template, text: Sorry }
  other: { type: template, text: "{{sorry.json.none}}" }
  last: { type: template, text: Last }
edges: [get.failed -> sorry -> other, other.failed -> last]
`,
      'fakes: { get: { failure: No. } }\nexpect: { status: succeeded, path: [get, sorry, other, last] }',
    ],
  ])('%s', (_, flow, test) => {
    expect(tested(flow, test)).toEqual([]);
  });
});

describe('how a case starts', () => {
  const flow = `
triggers: [{ type: command, command: release }, { type: manual }]
input: { type: object, properties: { version: { type: string, title: Version } }, required: [version] }
steps: { say: { type: template, text: "{{input.version}} {{start.json.user}} {{start.text}}" } }
`;
  const hook = `
triggers: [{ type: webhook, secret: HOOK, keep: { issue: issue.id, kind: "header:X-Kind" } }]
input: { type: object, properties: { issue: { type: integer }, kind: { type: string } }, required: [issue] }
steps: { say: { type: template, text: "{{input.issue}} {{input.kind}} {{start.json.body.issue.title}} {{start.json.headers.x_kind}}" } }
`;
  it.each([
    ['by what is typed', flow, 'prompt: "1.2"\nexpect: { outputs: { say: 1.2 ana !release 1.2 } }'],
    [
      'by data',
      flow,
      'input: { version: "1.2" }\nby: slack:U0BO\nexpect: { outputs: { say: "1.2 U0BO !release" } }',
    ],
    [
      'by a request',
      hook,
      'request: { body: { issue: { id: 7, title: Broken } }, headers: { X-Kind: opened } }\nexpect: { outputs: { say: 7 opened Broken opened } }',
    ],
  ])('%s', (_, text, test) => {
    expect(tested(text, test)).toEqual([]);
  });

  it.each([
    ['an input that is missing', flow, 'input: {}', 'The input does not fit: Version is missing.'],
    ['one that does not fit', flow, 'input: { version: 1 }', 'The input does not fit: Version must be text.'],
    ['nothing typed', flow, 'prompt: ""', 'The input does not fit: Version is missing.'],
    [
      'a request that lacks something',
      hook,
      'request: { body: {} }',
      'The input does not fit: issue is missing: the body has no issue.id.',
    ],
    [
      'a request to a flow without a webhook',
      flow,
      'request: {}',
      'flow has no webhook that a request could start: write input: instead.',
    ],
  ])('%s is a problem', (_, text, test, problem) => {
    expect(tested(text, test)).toEqual([problem]);
  });
});
