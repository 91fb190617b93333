import { flow } from '../../src/builder/index.ts';

const teams = ['dev', 'sales'];

export default flow({
  name: 'Stand-up',
  input: {
    type: 'object',
    properties: { topic: { type: 'string', default: 'today' } },
  },
  triggers: [{ type: 'command', command: 'standup' }],
  steps: {
    plan: { type: 'template', text: 'What are you up to {{input.topic}}?' },
    ok: { type: 'approval', title: 'Ask everybody?', show: ['plan'] },
    ask: { type: 'message', text: `{{plan.text}} (${teams.join(', ')})` },
  },
  edges: ['plan -> ok', 'ok.approved -> ask'],
});

declare module '../../src/builder/index.ts' {
  interface StepKeys {
    readonly greet: { readonly type: 'greet'; readonly who: string; readonly loud?: boolean };
  }
}
