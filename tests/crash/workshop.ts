import { createScriptedRuntime } from '../../src/adapters/agents/scripted.ts';
import type { AgentRuntime } from '../../src/ports/agents.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Programs } from '../../src/ports/programs.ts';
import type { Tools } from '../../src/ports/tools.ts';
import { createFakePrograms, ended } from '../fakes/programs.ts';
import { createFakeWorkspaces, type FakeWorkspaces } from '../fakes/workspaces.ts';

/** Something that an agent, a program or a tool did which must not happen twice. */
export interface Deed {
  /** The step that it was done for: `/write`. */
  readonly path: string;
  /** What came of it. */
  readonly text: string;
}

/** The agents, programs and tools that outlive the bot. */
export interface Workshop {
  /** All that was done, in order. */
  readonly deeds: readonly Deed[];
  /** How often `stock` was called. */
  looked(): number;
  /** The scripted runtime. @param clock that of the life */
  agents(clock: Clock): ReadonlyMap<string, AgentRuntime>;
  readonly programs: Programs;
  /** A server whose tool `deploy` changes something, and whose others change nothing. */
  readonly tools: Tools;
  readonly workspaces: FakeWorkspaces;
}

/** Makes them. */
export function createWorkshop(): Workshop {
  const deeds: Deed[] = [];
  let looked = 0;
  const programs = createFakePrograms(({ argv, env }) => {
    const text = `ran with ${argv.slice(1).join(' ')}`;
    deeds.push({ path: `/${env.FLOWBOT_STEP}`, text });
    return ended(text);
  });
  return {
    deeds,
    looked: () => looked,
    agents: (clock) => new Map([['scripted', remembering(createScriptedRuntime({ clock }), deeds)]]),
    programs,
    tools: {
      list: async () => ({
        kind: 'listed',
        tools: ['deploy', 'stock'].map((name) => ({
          name,
          description: '',
          parameters: { type: 'object' },
          isReadOnly: name === 'stock',
        })),
      }),
      async call({ tool, arguments: given }, _signal, leaving) {
        const text = `${tool} got ${JSON.stringify(given)}`;
        if (tool === 'stock') looked += 1;
        if (tool === 'deploy') {
          await leaving();
          deeds.push({ path: `/${tool}`, text });
        }
        return { kind: 'answered', content: [{ kind: 'text', text }], structured: {}, isError: false };
      },
    },
    workspaces: createFakeWorkspaces(),
  };
}

/** A model that is asked changes nothing; an agent with a task may. */
function remembering(runtime: AgentRuntime, deeds: Deed[]): AgentRuntime {
  return {
    ...runtime,
    async turn(request, signal) {
      // Each attempt begins from the beginning.
      const at = request.at.step === 'count' ? { ...request.at, attempt: 1 } : request.at;
      const outcome = await runtime.turn({ ...request, at }, signal);
      if (request.kind === 'task' && outcome.kind === 'replied') {
        deeds.push({ path: `/${request.at.step}`, text: outcome.text });
      }
      return outcome;
    },
  };
}
