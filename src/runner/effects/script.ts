import { DEFAULT_TIMEOUT_MS } from '../../engine/limits.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import { scriptResult } from '../../engine/steps/script.ts';
import type { Programs } from '../../ports/programs.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import type { CallHandler } from '../call-handler.ts';
import type { SharedWorkspaces } from '../workspaces.ts';

type ScriptEffect = Extract<CallEffect, { kind: 'script' }>;

/** Most bytes that a script may print. */
const outputMaxBytes = 1_000_000;

/** Runs the program of a `script` step in the workspace of its run. */
export function scriptHandler(deps: {
  readonly store: Store;
  /** With the scripts that come with Flowbot. */
  readonly programs: Programs;
  readonly workspaces: SharedWorkspaces;
  readonly secrets: Secrets;
}): CallHandler<ScriptEffect> {
  const { store, programs, workspaces, secrets } = deps;
  return async (run, { call, step, timeoutMs = DEFAULT_TIMEOUT_MS.script }, signal, leaving) => {
    const flow = (await store.run(run))?.row.flow ?? '';
    const used = await workspaces.use(run, signal, async (cwd) => {
      await leaving();
      return programs.run(
        {
          argv: [call.run, ...call.args],
          cwd,
          env: { FLOWBOT_RUN: run, FLOWBOT_FLOW: flow, FLOWBOT_STEP: step },
          stdin: JSON.stringify(call.stdin),
          timeoutMs,
          maxBytes: outputMaxBytes,
        },
        signal,
      );
    });
    if (used.kind === 'failed') {
      return { kind: 'failed', failure: { code: 'workspace', message: used.message, retry: 'allowed' } };
    }
    // Before a part of it is quoted: of a secret that is cut in two, nothing would be found.
    const stderr = secrets.redact(used.result.stderr);
    return scriptResult(call.run, { ...used.result, stderr });
  };
}
