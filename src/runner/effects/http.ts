import type { CallEffect } from '../../engine/run/effect.ts';
import { httpResult } from '../../engine/steps/http.ts';
import type { SecretText } from '../../engine/steps/step-type.ts';
import type { Http } from '../../ports/http.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';

type HttpEffect = Extract<CallEffect, { kind: 'http' }>;

/** Sends the request of an `http` step. Secrets go in here, at the last moment. */
export function httpHandler(deps: {
  readonly http: Http;
  readonly secrets: Secrets;
}): CallHandler<HttpEffect> {
  return async (_run, effect, signal, leaving) => {
    const { call } = effect;
    const missing = missingSecrets(effect, deps.secrets);
    if (missing.length > 0) {
      return failed(`the secret ${missing.join(', ')} is not set: give it to Flowbot and run this again.`);
    }
    const headers: Record<string, string> = {};
    if (call.body) headers['content-type'] = call.body.contentType;
    for (const [name, text] of call.headers) headers[name.toLowerCase()] = reveal(text, deps.secrets);
    await leaving();
    const outcome = await deps.http.send(
      {
        method: call.method,
        url: call.url,
        headers,
        ...(call.body && { body: reveal(call.body.text, deps.secrets) }),
        timeoutMs: effect.timeoutMs,
        maxBytes: call.maxBytes,
        redirects: call.redirects,
        allowHosts: call.allowHosts,
      },
      signal,
    );
    return httpResult(call, outcome);
  };
}

function missingSecrets(effect: HttpEffect, secrets: Secrets): readonly string[] {
  const texts = [...effect.call.headers.map(([, text]) => text), effect.call.body?.text ?? []];
  const names = texts.flatMap((text) =>
    text.flatMap((piece) => (piece.kind === 'secret' ? [piece.name] : [])),
  );
  return [...new Set(names)].filter((name) => secrets.get(name) === undefined);
}

function reveal(text: SecretText, secrets: Secrets): string {
  return text
    .map((piece) => (piece.kind === 'text' ? piece.text : escaped(secrets.get(piece.name) ?? '', piece.as)))
    .join('');
}

type SecretPlace = Extract<SecretText[number], { kind: 'secret' }>['as'];

function escaped(secret: string, as: SecretPlace): string {
  switch (as) {
    case 'text':
      return secret;
    case 'json-inside':
      return JSON.stringify(secret).slice(1, -1);
    case 'json':
      return JSON.stringify(secret);
    case 'form':
      return new URLSearchParams([['', secret]]).toString().slice(1);
  }
}

function failed(message: string): CallResult {
  return { kind: 'failed', failure: { code: 'secret-missing', message, retry: 'never' } };
}
