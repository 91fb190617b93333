import { describe, expect, it } from 'vitest';
import { tested } from './tested.ts';

const http =
  'steps: { pay: { type: http, url: "https://api.example.com/pay", METHOD, keep: { id: order.id } } }';
const get = http.replace('METHOD', 'method: GET');
const post = http.replace('METHOD', 'method: POST, body: { json: { a: 1 } }');
const script = 'steps: { sort: { type: script, run: sort, timeout: 1m } }';
const history = 'steps: { past: { type: history, conversation: "#ops" } }';
const message = 'steps: { tell: { type: message, to: "#ops", text: "Hello **{{start.json.user}}**" } }';
const attempts = (flow: string) => flow.replace('type: ', 'attempts: 3, type: ');

describe('a call that has a fake', () => {
  it.each([
    [
      'http: data is a JSON answer with the status 200',
      get,
      'fakes: { pay: { body: { order: { id: 7 } } } }\nexpect: { status: succeeded, outputs: { pay: { status: 200, ok: true, values: { id: 7 }, body: { order: { id: 7 } } } } }',
    ],
    [
      'http: a text is JSON when its header says so',
      get,
      `fakes: { pay: { body: '{"order":{"id":7}}', headers: { Content-Type: application/json; charset=utf-8 } } }\nexpect: { outputs: { pay: { values: { id: 7 } } } }`,
    ],
    [
      'http: another text is none',
      get,
      'fakes: { pay: { body: Hello } }\nexpect: { reason: \'"pay" failed: The answer is not JSON and has no order.id, so there is no value to keep as "id".\' }',
    ],
    [
      'http: no body at all',
      get,
      'fakes: { pay: { status: 204 } }\nexpect: { reason: \'"pay" failed: The answer is empty and has no order.id, so there is no value to keep as "id".\' }',
    ],
    [
      'http: a status that the step does not accept',
      get,
      'fakes: { pay: { status: 503 } }\nexpect: { reason: \'"pay" failed: api.example.com answered with status 503; this step accepts 2xx.\' }',
    ],
    [
      'http: nobody knows whether a change has happened, and people say',
      post,
      'fakes: { pay: { timeout: true } }\nexpect: { status: attention, asked: [pay] }',
    ],
    [
      'http: what changes nothing is sent again when its connection is lost',
      attempts(get),
      'fakes: { pay: [{ unknown: The line was cut. }, { body: { order: { id: 7 } } }] }\nexpect: { status: succeeded }',
    ],
    [
      'script: what it prints, its JSON and its exit code',
      script,
      `fakes: { sort: { stdout: "{\\"a\\":1}\\n" } }\nexpect: { outputs: { sort: { a: 1, exitCode: 0 } } }`,
    ],
    [
      'script: an exit code that is not 0 fails it with what it said',
      script,
      'fakes: { sort: { exitCode: 2, stderr: no such file } }\nexpect: { reason: "\\"sort\\" failed: The script \\"sort\\" ended with exit code 2. It said:\\nno such file" }',
    ],
    [
      'script: a time limit, by itself or by a delay',
      attempts(script),
      'fakes: { sort: [{ timeout: true }, { delay: 2m }, { delay: 59s, stdout: done }] }\nexpect: { outputs: { sort: done } }',
    ],
    [
      'script: nobody knows',
      script,
      'fakes: { sort: { unknown: It was killed. } }\nexpect: { status: attention }',
    ],
    [
      'history: its text and data',
      history,
      'fakes: { past: { text: Much was said., json: { count: 3 } } }\nexpect: { outputs: { past: { count: 3 } } }',
    ],
    [
      'any: a failure counts as an attempt',
      attempts(script),
      'fakes: { sort: [{ failure: No. }, { failure: Still no. }, { stdout: done }] }\nexpect: { status: succeeded, path: [sort] }',
    ],
    [
      'any: the last of a list stands for all that follow',
      attempts(script),
      'fakes: { sort: [{ failure: First. }, { failure: Second. }] }\nexpect: { reason: \'"sort" failed: Second.\' }',
    ],
    [
      'message: a message needs none, and its post has an id',
      message,
      'expect: { posts: [{ to: "#ops", text: Hello **ana** }], outputs: { tell: { messageId: m1, conversationName: "#ops" } } }',
    ],
    [
      'message: it can fail, and then there is no post',
      message,
      'fakes: { tell: { failure: There is no such channel. } }\nexpect: { posts: [], reason: \'"tell" failed: There is no such channel.\' }',
    ],
    [
      'message: it may have been posted',
      message,
      'fakes: { tell: { unknown: Slack went away. } }\nacts: [{ answer: again }]\nexpect: { status: attention, asked: [tell, tell], posts: [] }',
    ],
  ])('%s', (_, flow, test) => {
    expect(tested(flow, test)).toEqual([]);
  });
});

describe('a call that has no fake', () => {
  it.each([
    ['http', get, 'pay (http) is called and the case has no fake for it: write fakes: { pay: { body: … } }.'],
    [
      'script',
      script,
      'sort (script) is called and the case has no fake for it: write fakes: { sort: { stdout: … } }.',
    ],
    [
      'history',
      history,
      'past (history) is called and the case has no fake for it: write fakes: { past: { text: … } }.',
    ],
  ])('is a problem that says what to write: %s', (_, flow, problem) => {
    expect(tested(flow, 'expect: { status: failed }')).toEqual([problem]);
  });

  it('is told once, with the name that stands for all items', () => {
    const flows = {
      flow: 'steps: { each: { type: map, over: [1, 2], uses: one, onItemFailure: collect } }',
      one: 'input: { type: object, properties: { item: { type: number } } }\nsteps: { sort: { type: script, run: sort } }',
    };
    expect(tested(flows, 'expect: { status: succeeded }')).toEqual([
      'each#1/sort (script) is called and the case has no fake for it: write fakes: { each/sort: { stdout: … } }.',
      'each#2/sort (script) is called and the case has no fake for it: write fakes: { each/sort: { stdout: … } }.',
    ]);
  });
});
