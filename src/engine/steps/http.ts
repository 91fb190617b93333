import { dataReferences, resolveDataAsJson } from '../data/data-template.ts';
import { resolveJsonText } from '../data/json-text.ts';
import {
  collect,
  encodeForm,
  encodeUrl,
  joinPieces,
  plain,
  type Resolved,
  resolved,
  resolveFormValue,
  resolveHeader,
  resolveSecretText,
  resolveText,
  resolveUrl,
} from '../data/resolve.ts';
import type { Scope } from '../data/scope.ts';
import { templateReferences } from '../data/template.ts';
import { DEFAULT_TIMEOUT_MS } from '../limits.ts';
import { isSafeMethod } from './http-result.ts';
import { type HttpBody, type HttpConfig, httpSchema, type NamedTemplates } from './http-schema.ts';
import type { HttpCall, Reference, SecretText, StepType } from './step-type.ts';

export { type HttpReport, httpResult } from './http-result.ts';
export type { HttpConfig } from './http-schema.ts';

/**
 * Sends one HTTP request. Everything is filled in before it leaves; a value that is missing or does not fit its
 * place fails the step, and nothing is sent. What the answer becomes is decided by `httpResult`.
 */
export const http: StepType<HttpConfig> = {
  type: 'http',
  schema: httpSchema,
  exits: () => ['done'],
  calls: true,
  plainEdges: true,
  cacheable: true,
  references: ({ url, query, headers, body }) => [
    ...templateReferences(url, ['url']),
    ...namedReferences(query, ['query']),
    ...namedReferences(headers, ['headers']),
    ...(body ? bodyReferences(body) : []),
  ],
  begin: ({ config, scope, timeoutMs = DEFAULT_TIMEOUT_MS.http }) => {
    const call = callOf(config, scope);
    if (!call.ok) return { kind: 'failed', failure: call.failure };
    return {
      kind: 'http',
      call: call.value,
      timeoutMs,
      safe: isSafeMethod(config.method),
    };
  },
};

function namedReferences(named: NamedTemplates, at: readonly string[]): readonly Reference[] {
  return named.flatMap(([name, value]) => templateReferences(value, [...at, name]));
}

function bodyReferences(body: HttpBody): readonly Reference[] {
  switch (body.kind) {
    case 'json':
      return dataReferences(body.data, ['body', 'json']);
    case 'json-text':
      return templateReferences(body.json.template, ['body', 'json']);
    case 'form':
      return namedReferences(body.fields, ['body', 'form']);
    case 'text':
      return templateReferences(body.text, ['body', 'text']);
  }
}

function callOf(config: HttpConfig, scope: Scope): Resolved<HttpCall> {
  const url = addressOf(config, scope);
  if (!url.ok) return url;
  const headers = headersOf(config.headers, scope);
  if (!headers.ok) return headers;
  const text = config.body && bodyOf(config.body, scope);
  if (text && !text.ok) return text;
  const { method, maxBytes, redirects, allowHosts, keep, accept } = config;
  const rest = { method, url: url.value, maxBytes, redirects, allowHosts, keep, accept };
  if (!config.body || !text) return resolved({ ...rest, headers: headers.value });
  return resolved({
    ...rest,
    headers: headers.value.filter(([name]) => !isContentType(name)),
    body: { contentType: contentTypeOf(config, config.body), text: text.value },
  });
}

function addressOf({ url, query }: HttpConfig, scope: Scope): Resolved<string> {
  const address = resolveUrl(url, scope);
  if (!address.ok) return address;
  const pairs = collect(query, ([name, template]): Resolved<string> => {
    const text = resolveText(template, scope);
    return text.ok ? resolved(`${encodeUrl(name)}=${encodeUrl(text.value)}`) : text;
  });
  if (!pairs.ok) return pairs;
  const added = pairs.value.join('&');
  const joint = added === '' || /[?&]$/.test(address.value) ? '' : address.value.includes('?') ? '&' : '?';
  return resolved(new URL(address.value + joint + added).href);
}

function headersOf(headers: NamedTemplates, scope: Scope): Resolved<HttpCall['headers']> {
  return collect(headers, ([name, template]): Resolved<readonly [string, SecretText]> => {
    const value = resolveHeader(name, template, scope);
    return value.ok ? resolved([name, value.value]) : value;
  });
}

function bodyOf(body: HttpBody, scope: Scope): Resolved<SecretText> {
  switch (body.kind) {
    case 'json':
      return resolveDataAsJson(body.data, scope);
    case 'json-text':
      return resolveJsonText(body.json, scope);
    case 'form':
      return formOf(body.fields, scope);
    case 'text':
      return resolveSecretText(body.text, scope);
  }
}

function formOf(fields: NamedTemplates, scope: Scope): Resolved<SecretText> {
  const pairs = collect(fields, ([name, template]): Resolved<SecretText> => {
    const value = resolveFormValue(template, scope);
    return value.ok ? resolved([plain(`${encodeForm(name)}=`).value, ...value.value]) : value;
  });
  if (!pairs.ok) return pairs;
  const pieces = pairs.value.flatMap((pair, index) => (index === 0 ? pair : [plain('&').value, ...pair]));
  return resolved(joinPieces(pieces));
}

const contentTypes = {
  json: 'application/json',
  'json-text': 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
} as const satisfies Record<HttpBody['kind'], string>;

function contentTypeOf({ headers }: HttpConfig, body: HttpBody): string {
  const written = headers.find(([name]) => isContentType(name))?.[1];
  const text = written?.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return text === undefined || text === '' ? contentTypes[body.kind] : text;
}

function isContentType(header: string): boolean {
  return header.toLowerCase() === 'content-type';
}
