import { type Access, type Permission, permissionFor, stricterOf } from '../../engine/agents/access.ts';
import type { Agent } from '../../engine/agents/agent.ts';
import type { OfferedTool, ToolUse, ToolUsed, ToolUseResult } from '../../engine/agents/conversation.ts';
import { fencedResult } from '../../engine/agents/prompt.ts';
import { offeredNames } from '../../engine/agents/tool-names.ts';
import { suggest } from '../../engine/flow/nearest.ts';
import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import { DEFAULT_TIMEOUT_MS } from '../../engine/limits.ts';
import { beginning } from '../../engine/prose.ts';
import type { ToolReport } from '../../engine/steps/tool-result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { ToolInfo, Tools } from '../../ports/tools.ts';

/** Most characters of what a tool answered that a model hears. */
const ANSWER_MAX_CHARS = 40_000;
/** Most characters of a call's arguments in the journal. */
const ARGUMENTS_MAX_CHARS = 2_000;

/** A tool that an agent's model named, as it is now. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
  readonly permission: Exclude<Permission, 'deny'>;
  readonly arguments: JsonObject;
}

/** What came of a call, for the model and for people. */
export interface ToolDone {
  readonly result: ToolUseResult;
  readonly used: ToolUsed;
  /** Its effect may have happened, and nobody knows: a sentence. Then the whole attempt has an unknown outcome. */
  readonly unknown?: string;
}

/** The tools of MCP servers as agents may use them. */
export interface AgentTools {
  /** What the model of an agent is told that it may call. Servers that can't be reached are left out, and logged. */
  offered(agent: Agent, run: string, signal: AbortSignal): Promise<readonly OfferedTool[]>;
  /**
   * What a use means and whether it is allowed, looked up anew: what the agent's file says now counts as well as what it
   * said when the run began, the stricter of both. `ToolDone`: it may not be called, with the reason.
   */
  find(agent: Agent, run: string, use: ToolUse, signal: AbortSignal): Promise<NamedTool | ToolDone>;
  /** Calls it once. Never throws. @param timeoutMs what is left of the agent's time, in milliseconds */
  call(use: ToolUse, named: NamedTool, timeoutMs: number, signal: AbortSignal): Promise<ToolDone>;
  /** What is said of a call that people did not allow. */
  denied(use: ToolUse, named: NamedTool, by: string, comment: string): ToolDone;
}

/** Makes them. */
export function createAgentTools(deps: {
  readonly tools: Tools;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** What the file of an agent says now; undefined = it is not there any more. */
  readonly accessNow: (agent: string) => Access | undefined;
}): AgentTools {
  const { tools, secrets, clock, ids, log, accessNow } = deps;
  const nextMarker = (): string => ids.next() + ids.next();

  /** The tools that an agent may call in some way, by the names that its model knows. */
  async function reachable(
    agent: Agent,
    run: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Reachable>> {
    const found: Reachable[] = [];
    for (const server of agent.access.keys()) {
      const listed = await tools.list(server, signal);
      if (listed.kind === 'failed') {
        log.warn('An agent works without the tools of a server.', {
          run,
          agent: agent.name,
          server,
          why: secrets.redact(listed.message),
        });
        continue;
      }
      for (const info of listed.tools) {
        const permission = permissionNow(agent, server, info);
        if (permission !== 'deny') found.push({ server, tool: info.name, info, permission });
      }
    }
    return offeredNames(found);
  }

  function permissionNow(agent: Agent, server: string, { name, isReadOnly }: ToolInfo): Permission {
    const then = permissionFor(agent.access, server, name, isReadOnly);
    const access = accessNow(agent.name);
    return access ? stricterOf(then, permissionFor(access, server, name, isReadOnly)) : 'deny';
  }

  /** @param text for the model, with what others wrote in it fenced already */
  function done(
    { id, arguments: given }: ToolUse,
    at: Pick<NamedTool, 'server' | 'tool'>,
    {
      text,
      ...came
    }: Pick<ToolUsed, 'outcome' | 'message'> & { readonly text: string; readonly tookMs?: number },
  ): ToolDone {
    const { tookMs = 0, outcome, message } = came;
    const said = beginning(secrets.redact(JSON.stringify(given)), ARGUMENTS_MAX_CHARS);
    return {
      result: { id, text, isError: outcome !== 'answered' },
      used: {
        id,
        server: at.server,
        tool: at.tool,
        arguments: said,
        outcome,
        tookMs,
        ...(message !== undefined && { message }),
      },
    };
  }

  function refused(use: ToolUse, at: Pick<NamedTool, 'server' | 'tool'>, message: string): ToolDone {
    return done(use, at, { outcome: 'refused', message, text: message });
  }

  return {
    async offered(agent, run, signal) {
      if (agent.access.size === 0) return [];
      const reached = await reachable(agent, run, signal);
      return [...reached].map(([name, { info }]) => ({
        name,
        description: secrets.redact(info.description),
        parameters: secrets.redact(info.parameters),
      }));
    },
    async find(agent, run, use, signal) {
      const reached = await reachable(agent, run, signal);
      const found = reached.get(use.name);
      if (!found) {
        const fix = reached.size === 0 ? 'You have no tools.' : suggest(use.name, reached.keys());
        const message = `You may not call a tool ${JSON.stringify(beginning(use.name, 100))}. ${fix}`;
        return refused(use, { server: '', tool: beginning(use.name, 100) }, message);
      }
      const { server, tool, permission } = found;
      if (!isJsonObject(use.arguments)) {
        return refused(use, { server, tool }, 'The arguments must be one JSON object.');
      }
      // What may not be called was not found.
      return permission === 'deny'
        ? refused(use, { server, tool }, 'You may not call this tool.')
        : { server, tool, permission, arguments: use.arguments };
    },
    async call(use, named, timeoutMs, signal) {
      const { server, tool } = named;
      const beganMs = clock.now();
      const most = Math.max(1, Math.min(timeoutMs, DEFAULT_TIMEOUT_MS.tool));
      const request = { server, tool, arguments: named.arguments, timeoutMs: most };
      const report = secrets.redact(await tools.call(request, signal, async () => {}));
      const tookMs = clock.now() - beganMs;
      if (report.kind === 'failed') {
        const { message } = report;
        const failed = done(use, named, { outcome: 'failed', message, tookMs, text: message });
        return isUnknown(report) ? { ...failed, unknown: message } : failed;
      }
      const text = fencedResult(`result of the tool ${tool}`, answerText(report), nextMarker);
      if (!report.isError) return done(use, named, { outcome: 'answered', tookMs, text });
      const message = `The tool ${JSON.stringify(tool)} of ${server} says that it failed.`;
      return done(use, named, { outcome: 'failed', message, tookMs, text });
    },
    denied(use, named, by, comment) {
      const why = comment === '' ? '' : `\n${fencedResult('what that person wrote', comment, nextMarker)}`;
      const message = `${by} did not allow this call.`;
      return done(use, named, {
        outcome: 'denied',
        message,
        text: `A person did not allow this call.${why}`,
      });
    },
  };
}

interface Reachable {
  readonly server: string;
  readonly tool: string;
  readonly info: ToolInfo;
  readonly permission: Permission;
}

/** Nobody can say what it did. What a server refused, or could not be sent, did nothing. */
function isUnknown({ reason, mayHaveHappened }: Extract<ToolReport, { kind: 'failed' }>): boolean {
  return mayHaveHappened && (reason === 'connection' || reason === 'timeout' || reason === 'aborted');
}

function answerText({ content, structured }: Extract<ToolReport, { kind: 'answered' }>): string {
  const said = content.map((part) => (part.kind === 'text' ? part.text : `[${part.label}]`)).join('\n');
  const whole = said.trim() === '' && Object.keys(structured).length > 0 ? JSON.stringify(structured) : said;
  if (whole.length <= ANSWER_MAX_CHARS) return whole;
  const kept = beginning(whole, ANSWER_MAX_CHARS);
  return `${kept}\n(${(whole.length - kept.length).toLocaleString('en')} more characters were left out.)`;
}
