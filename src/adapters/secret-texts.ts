import type { SecretText } from '../engine/steps/step-type.ts';
import type { Secrets } from '../ports/secrets.ts';

/** Texts with their secrets in place, or the names of those that are not set. */
export type Revealed =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Puts secrets in, at the last moment. */
export function reveal(texts: Readonly<Record<string, SecretText>>, secrets: Secrets): Revealed {
  const names = Object.values(texts).flatMap(secretsIn);
  const missing = [...new Set(names)].filter((name) => secrets.get(name) === undefined);
  if (missing.length > 0) return { ok: false, missing };
  const values = Object.entries(texts).map(([key, text]) => {
    const pieces = text.map((piece) =>
      piece.kind === 'text' ? piece.text : (secrets.get(piece.name) ?? ''),
    );
    return [key, pieces.join('')] as const;
  });
  return { ok: true, values: Object.fromEntries(values) };
}

/** Names of the secrets in a text. */
export function secretsIn(text: SecretText): readonly string[] {
  return text.flatMap((piece) => (piece.kind === 'secret' ? [piece.name] : []));
}
