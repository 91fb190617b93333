import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/engine/json.ts';
import {
  type HttpAnswer,
  type HttpMiss,
  type HttpReport,
  httpResult,
} from '../../../src/engine/steps/http-result.ts';
import type { HttpCall } from '../../../src/engine/steps/step-type.ts';
import type { HttpOutcome } from '../../../src/ports/http.ts';

function call(keep: Record<string, string> = {}, method = 'GET', accept = ['2xx']): HttpCall {
  const url = 'https://api.example.com/users';
  return { method, url, headers: [], keep, accept, maxBytes: 1, redirects: 0, allowHosts: [] };
}

const answer = (status: number, body: Json, text = JSON.stringify(body)): HttpAnswer => ({
  kind: 'answered',
  status,
  headers: { location: '/users/7' },
  text,
  body,
});

it('takes what the http port reports', () => {
  const report = (outcome: HttpOutcome): HttpReport => outcome;
  expect(report({ ...answer(200, null), kind: 'answered', hops: [] }).kind).toBe('answered');
});

describe('an answer', () => {
  it('becomes status, body, text and the kept values', () => {
    const body = { items: [{ title: 'One' }], none: null };
    const keep = { title: 'items.0.title', none: 'none', at: 'header:Location' };
    expect(httpResult(call(keep), answer(201, body))).toEqual({
      kind: 'done',
      output: {
        text: JSON.stringify(body),
        json: { status: 201, ok: true, values: { title: 'One', none: null, at: '/users/7' }, body },
      },
    });
  });

  it.each([
    [['2xx'], 404, false],
    [['404', '2xx'], 404, true],
    [['200-299'], 204, true],
    [['200-299'], 300, false],
    [['3xx'], 304, true],
  ])('accepting %j with status %i is a success: %s', (accept, status, done) => {
    expect(httpResult(call({}, 'GET', accept), answer(status, null, '')).kind).toBe(done ? 'done' : 'failed');
  });

  it('is ok only with 2xx', () => {
    expect(httpResult(call({}, 'GET', ['404']), answer(404, null, ''))).toMatchObject({
      output: { json: { ok: false, status: 404 } },
    });
  });

  it('fails with another status, naming it and the host', () => {
    expect(httpResult(call(), answer(503, null, 'secret page'))).toEqual({
      kind: 'failed',
      failure: {
        code: 'http-status',
        message: 'api.example.com answered with status 503; this step accepts 2xx.',
        retry: 'allowed',
      },
    });
  });
});

describe('C47: success with an empty body', () => {
  it.each([204, 200, 205, 201])('%i is done, with no body and no text', (status) => {
    expect(httpResult(call(), answer(status, null, ''))).toEqual({
      kind: 'done',
      output: { text: '', json: { status, ok: true, values: {}, body: null } },
    });
  });

  it('fails only the step that keeps a value of it', () => {
    expect(httpResult(call({ id: 'body.id' }), answer(204, null, ''))).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'http-keep',
        message: 'The answer is empty and has no body.id, so there is no value to keep as "id".',
      },
    });
  });
});

describe('a value that can not be kept', () => {
  it.each([
    [{ id: 'id' }, answer(200, {}), 'The answer has no id, so there is no value to keep as "id".'],
    [{ id: 'id' }, answer(200, null, 'null'), 'The answer has no id, so there is no value to keep as "id".'],
    [
      { id: 'id' },
      answer(200, null, '<html>'),
      'The answer is not JSON and has no id, so there is no value to keep as "id".',
    ],
    [
      { id: 'id' },
      { ...answer(200, null, '{'), bodyFault: 'It ends too early.' },
      'The answer could not be read as JSON (It ends too early), so there is no value to keep as "id".',
    ],
    [
      { id: 'header:X-Id' },
      answer(200, {}),
      'The answer has no header X-Id, so there is no value to keep as "id".',
    ],
  ])('%j fails the step and is named', (keep, report, message) => {
    expect(httpResult(call(keep), report)).toMatchObject({
      failure: { code: 'http-keep', message, retry: 'allowed' },
    });
    // The change has been made: trying again would make it twice.
    expect(httpResult(call(keep, 'POST'), report)).toMatchObject({ failure: { retry: 'never' } });
  });

  it('does not matter when nothing is kept of the body', () => {
    const broken = { ...answer(200, null, '{'), bodyFault: 'It ends too early.' };
    expect(httpResult(call({ at: 'header:location' }), broken)).toMatchObject({
      kind: 'done',
      output: { text: '{', json: { body: null, values: { at: '/users/7' } } },
    });
  });
});

describe('a request without an answer', () => {
  const miss = (reason: HttpMiss['reason'], mayHaveArrived: boolean): HttpMiss => ({
    kind: 'failed',
    reason,
    message: 'A sentence.',
    mayHaveArrived,
  });

  it.each<[HttpMiss['reason'], boolean, string, string]>([
    // reason, may have arrived, GET, POST
    ['address', false, 'never', 'never'],
    ['request', false, 'never', 'never'],
    ['dns', false, 'allowed', 'allowed'],
    ['connect', false, 'allowed', 'allowed'],
    ['timeout', false, 'allowed', 'allowed'],
    ['timeout', true, 'allowed', 'unknown'],
    ['aborted', true, 'allowed', 'unknown'],
    ['connection', true, 'allowed', 'unknown'],
    ['too-large', true, 'allowed', 'never'],
    ['encoding', true, 'allowed', 'never'],
    ['redirect', true, 'allowed', 'never'],
  ])('%s, arrived perhaps: %s', (reason, mayHaveArrived, get, post) => {
    const outcome = (method: string) => {
      const result = httpResult(call({}, method), miss(reason, mayHaveArrived));
      return result.kind === 'failed' ? result.failure.retry : result.kind;
    };
    expect([outcome('GET'), outcome('POST')]).toEqual([get, post]);
  });
});
