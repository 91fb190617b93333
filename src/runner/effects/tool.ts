import { addUsage, NO_USAGE } from '../../engine/agents/usage.ts';
import { DEFAULT_TIMEOUT_MS } from '../../engine/limits.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import { type ToolReport, toolResult } from '../../engine/steps/tool.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Tools } from '../../ports/tools.ts';
import type { CallHandler } from '../call-handler.ts';

type ToolEffect = Extract<CallEffect, { kind: 'tool' }>;

/** Calls the tool of a `tool` step. A call that the tool may have got counts as one of the budget's tool calls. */
export function toolHandler(deps: {
  readonly tools: Tools;
  readonly secrets: Secrets;
  readonly clock: Clock;
}): CallHandler<ToolEffect> {
  const { tools, secrets, clock } = deps;
  return async (_run, { call, timeoutMs = DEFAULT_TIMEOUT_MS.tool }, signal, leaving) => {
    const beganMs = clock.now();
    const report = await tools.call({ ...call, timeoutMs }, signal, leaving);
    const result = toolResult(call, withoutSecrets(report, secrets));
    const mayHaveArrived = report.kind === 'answered' || report.mayHaveHappened;
    if (!mayHaveArrived) return result;
    const worked = { ...NO_USAGE, workedMs: clock.now() - beganMs };
    return { ...result, usage: addUsage({ ...NO_USAGE, toolCalls: 1 }, worked) };
  };
}

/** Before a part of it is quoted: of a secret that is cut in two, nothing would be found. */
function withoutSecrets(report: ToolReport, { redact }: Secrets): ToolReport {
  if (report.kind === 'failed') return { ...report, message: redact(report.message) };
  return { ...report, content: redact(report.content), structured: redact(report.structured) };
}
