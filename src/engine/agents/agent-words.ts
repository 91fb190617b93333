import type { Permission, ServerAccess } from './access.ts';
import type { Agent } from './agent.ts';
import { abilitiesOf } from './runtimes.ts';

const WHEN_ALLOWED = 'when people allow it';

/** What carries out an agent's work and what it may do, on one line: `openai, model m-1; may call read (files)`. */
export function agentInWords({ runtime, model, access, workspace, changes, fallback }: Agent): string {
  const servers = [...access].flatMap(([server, rules]) => serverInWords(server, rules));
  return [
    model === undefined ? runtime : `${runtime}, model ${model}`,
    ...(abilitiesOf(runtime)?.tools ? [toolsInWords(servers)] : []),
    ...(workspace === 'none' ? [] : [`works in the run's workspace${changesInWords(workspace, changes)}`]),
    ...(fallback === undefined ? [] : [`falls back to ${fallback}`]),
  ].join('; ');
}

function toolsInWords(servers: readonly string[]): string {
  return servers.length === 0 ? 'may call no tools' : `may call ${servers.join('; ')}`;
}

/** What may be called of a server, and what only when people allow it. */
function serverInWords(server: string, { readOnly, tools, others }: ServerAccess): readonly string[] {
  const named = (permission: Permission) =>
    [...tools].flatMap(([tool, one]) => (one === permission ? [tool] : []));
  const rest = others === 'allow' ? named('deny').concat(named('ask')) : named('deny').concat(named('allow'));
  const all = rest.length === 0 ? 'every tool' : `every tool but ${rest.join(', ')}`;
  const allowed = others === 'allow' ? all : named('allow').join(', ');
  const asked = others === 'ask' ? all : named('ask').join(', ');
  const of = `of ${server}${readOnly ? ' that changes nothing' : ''}`;
  return [
    ...(allowed === '' ? [] : [`${allowed} ${of}`]),
    ...(asked === '' ? [] : [`${asked} ${of} ${WHEN_ALLOWED}`]),
  ];
}

function changesInWords(workspace: Agent['workspace'], changes: Permission): string {
  if (workspace !== 'git') return '';
  switch (changes) {
    case 'allow':
      return ' with git';
    case 'ask':
      return ' with git, where people decide about its changes';
    case 'deny':
      return ' with git, where it may change nothing';
  }
}
