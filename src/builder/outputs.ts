import type { BuiltInType, StepKeys } from './written.ts';

/**
 * What placeholders can look up in the output of a step, as far as what is written tells it: an object for the keys
 * that are known, `unknown` where anything may be.
 */
export type OutputOf<S> = S extends { readonly type: infer T extends keyof StepKeys }
  ? { readonly text: Leaf; readonly json: OutputJson<S>[T] }
  : unknown;

/** A value without anything inside. */
export type Leaf = 'value';

interface OutputJson<S> extends Readonly<Record<keyof StepKeys, unknown>> {
  readonly message: Leaves<'messageId' | 'conversationName' | 'url'>;
  readonly approval: Leaves<'decision' | 'feedback' | 'by'> & {
    readonly values: S extends { readonly form: infer F } ? PropertiesOf<F> : unknown;
    readonly files: unknown;
    readonly answers: unknown;
  };
  readonly http: Leaves<'status' | 'ok'> & {
    readonly values: S extends { readonly keep: infer K } ? Anything<K> : object;
    readonly body: unknown;
  };
  readonly condition: Leaves<'result'> & { readonly why: unknown };
  readonly agent: S extends { readonly reply: { readonly fields: infer F } } ? FieldsOf<F> : unknown;
  readonly decision: Leaves<'choice' | 'confidence' | 'gated'> & { readonly probabilities: unknown };
  readonly map: { readonly items: unknown; readonly failed: unknown };
  readonly wait: Leaves<'until'>;
}

type Leaves<Keys extends string> = { readonly [K in Keys]: Leaf };

type Anything<T> = { readonly [K in keyof T]: unknown };

type FieldsOf<Fields> = {
  readonly [K in keyof Fields]: Fields[K] extends { readonly type: 'string' | 'number' | 'boolean' }
    ? Leaf
    : unknown;
};

/** The fields that a JSON Schema of an object declares. */
export type PropertiesOf<Schema> = Schema extends { readonly properties: infer P } ? Anything<P> : unknown;

/** The exits by which a step can be left. */
export type ExitsOf<S> =
  | 'failed'
  | (S extends { readonly type: 'condition' }
      ? 'yes' | 'no'
      : S extends { readonly type: 'approval' }
        ? ActionExits<S> | (S extends { readonly expiresAfter: string } ? 'expired' : never)
        : S extends { readonly type: 'history' }
          ? 'done' | (S extends { readonly whenEmpty: 'silent' } ? 'empty' : never)
          : S extends { readonly type: BuiltInType }
            ? 'done'
            : string);

type ActionExits<S> = S extends { readonly actions: readonly { readonly id: infer Id }[] }
  ? ActionExit<Id>
  : 'approved' | 'rejected';

type ActionExit<Id> = Id extends 'approve' ? 'approved' : Id extends 'reject' ? 'rejected' : Id;
