import type { Person } from '../../../src/engine/people.ts';
import { agentsOn } from '../chat/agents.ts';
import { openLive } from './live.ts';

const person = (id: string, name: string): Person => ({ platform: 'playground', id, name });

agentsOn({
  name: 'playground',
  people: { ana: person('ana', 'Ana'), bo: person('bo', 'Bo'), cy: person('cy', 'Cy') },
  open: openLive,
});
