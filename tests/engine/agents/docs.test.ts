import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAgent } from '../../../src/engine/agents/agent-schema.ts';
import { bareLibrary } from '../../../src/engine/library.ts';
import { promptInFlow } from '../../../src/engine/run/prompts.ts';
import { loadFlowFile } from '../../../src/loader/load.ts';
import { parseText } from '../../../src/loader/parse.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'docs/agents.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\n\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );

test('the prompt of the page is what its agent is told', () => {
  const [writer = '', notes = ''] = blocks('yaml');
  const { agent } = parseAgent(parseText(writer, 'yaml').data ?? null, 'writer');
  if (!agent) throw new Error('There is no agent.');
  const library = { ...bareLibrary, agents: new Map([['writer', agent]]) };
  const { plan } = loadFlowFile('notes.flow.yaml', notes, library).flow ?? {};
  const draft = plan?.steps.get('draft');
  if (!plan || !draft) throw new Error('There is no flow.');
  expect(promptInFlow(plan, draft, () => 'k7f3q9x2m4b8w1zt')?.words).toMatchObject({
    system: agent.instructions,
    prompt: `${blocks('text')[0]}\n`,
  });
});
