import { NO_USAGE } from '../../engine/agents/usage.ts';
import { DEFAULT_TIMEOUT_MS } from '../../engine/limits.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import { type ToolReport, toolResult } from '../../engine/steps/tool.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Tools } from '../../ports/tools.ts';
import type { CallHandler } from '../call-handler.ts';

type ToolEffect = Extract<CallEffect, { kind: 'tool' }>;

/** Calls the tool of a `tool` step. A call that the tool may have got counts as one of the budget's tool calls. */
export function toolHandler(deps: {
  readonly tools: Tools;
  readonly secrets: Secrets;
}): CallHandler<ToolEffect> {
  const { tools, secrets } = deps;
  return async (_run, { call, timeoutMs = DEFAULT_TIMEOUT_MS.tool }, signal, leaving) => {
    const report = await tools.call({ ...call, timeoutMs }, signal, leaving);
    const result = toolResult(call, withoutSecrets(report, secrets));
    const mayHaveArrived = report.kind === 'answered' || report.mayHaveHappened;
    return mayHaveArrived ? { ...result, usage: { ...NO_USAGE, toolCalls: 1 } } : result;
  };
}

/** Before a part of it is quoted: of a secret that is cut in two, nothing would be found. */
function withoutSecrets(report: ToolReport, { redact }: Secrets): ToolReport {
  if (report.kind === 'failed') return { ...report, message: redact(report.message) };
  return { ...report, content: redact(report.content), structured: redact(report.structured) };
}
