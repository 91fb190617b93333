import type { Person } from '../../../src/engine/people.ts';
import { lanesOn } from '../chat/lanes.ts';
import { openLive } from './live.ts';

const person = (id: string, name: string): Person => ({ platform: 'playground', id, name });

lanesOn({
  name: 'playground',
  people: { ana: person('ana', 'Ana'), bo: person('bo', 'Bo'), cy: person('cy', 'Cy') },
  open: openLive,
});
