import type { Called, Calls } from '../../../src/adapters/slack/calls.ts';
import type { Json } from '../../../src/engine/json.ts';

/** Calls that are all answered alike, by method; what is not an answer is what became of the call. */
export function answering(answer: (method: string) => { readonly ok: Json } | Called<never>): Calls {
  const call: Calls['call'] = async (method, _args, shape) => {
    const given = answer(method);
    return 'ok' in given ? { kind: 'ok', data: shape.parse(given.ok) } : given;
  };
  return {
    call,
    read: call,
    async *pages(method, args, shape) {
      yield await call(method, args, shape);
    },
    pause: async () => {},
    close() {},
    isClosed: false,
    dead: undefined,
    end() {},
  };
}
