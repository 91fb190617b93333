import type { SecretText } from '../../engine/steps/step-type.ts';
import type { Secrets } from '../../ports/secrets.ts';

/** An MCP server, as the configuration describes it. */
export type McpServer = ProgramServer | AddressServer;

/** A program that is started, and spoken to over its standard input and output. */
export interface ProgramServer {
  readonly kind: 'program';
  readonly command: string;
  readonly args: readonly string[];
  /** What its environment holds beside the little that every program gets. */
  readonly env: Readonly<Record<string, SecretText>>;
  /** Only tools that say they change nothing may be called. */
  readonly readOnly: boolean;
}

/** A server that is reached by streamable HTTP. */
export interface AddressServer {
  readonly kind: 'address';
  readonly url: string;
  readonly headers: Readonly<Record<string, SecretText>>;
  readonly readOnly: boolean;
}

/** Texts with their secrets in place, or the names of those that are not set. */
export type Revealed =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Puts secrets in, at the last moment. */
export function reveal(texts: Readonly<Record<string, SecretText>>, secrets: Secrets): Revealed {
  const names = Object.values(texts).flatMap((text) =>
    text.flatMap((piece) => (piece.kind === 'secret' ? [piece.name] : [])),
  );
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
