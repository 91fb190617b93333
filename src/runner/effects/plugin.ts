import { DEFAULT_TIMEOUT_MS } from '../../engine/limits.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import { pluginFailure, pluginResult } from '../../engine/steps/plugin-result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PluginSteps } from '../../ports/plugins.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';

type PluginEffect = Extract<CallEffect, { kind: 'plugin' }>;

/** Runs the code of a plugin's step. What it did when its time is over nobody knows. */
export function pluginHandler(deps: {
  readonly plugins: PluginSteps;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly log: Log;
}): CallHandler<PluginEffect> {
  const { plugins, secrets, clock, log } = deps;
  return async (run, effect, signal, leaving) => {
    const { type, call, step, attempt, key, timeoutMs = DEFAULT_TIMEOUT_MS.plugin } = effect;
    const plugin = plugins.get(type);
    if (!plugin) {
      const message = `There is no step type ${JSON.stringify(type)} any more: name its module under plugins in flowbot.yaml.`;
      return { kind: 'failed', failure: { code: 'plugin-missing', message, retry: 'never' } };
    }
    await leaving();
    const late = new AbortController();
    const over = Promise.withResolvers<CallResult>();
    const cancel = clock.alarm(clock.now() + timeoutMs, () => {
      const message = `The step type ${JSON.stringify(type)} did not end within ${timeoutMs / 1000} s.`;
      over.resolve({ kind: 'unknown', message });
      late.abort();
    });
    const turn = {
      signal: AbortSignal.any([signal, late.signal]),
      log: (message: string, data = {}) => log.info(message, { ...data, run, step }),
      run: { id: run, step, attempt, key },
    };
    try {
      const work = Promise.try(() => plugin.run(structuredClone(call), turn)).then(
        (returned) => pluginResult(type, plugin.exits, returned),
        // Before a part of it is quoted: of a secret that is cut in two, nothing would be found.
        (thrown: unknown) => pluginFailure(type, withoutSecrets(thrown, secrets)),
      );
      return await Promise.race([work, over.promise]);
    } finally {
      cancel();
    }
  };
}

function withoutSecrets(thrown: unknown, { redact }: Secrets): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? redact(thrown) : thrown;
  const retry = 'retry' in thrown ? { retry: thrown.retry } : {};
  return Object.assign(new Error(redact(thrown.message)), retry);
}
