import { test } from 'vitest';
import type { Person } from '../../src/engine/people.ts';
import { createFakeChat } from '../fakes/chat.ts';
import { createHandClock } from '../fakes/clock.ts';
import type { Cast, Circumstances, Player } from './cast.ts';
import { type OpenStage, playAlong } from './run.ts';
import { createWorld } from './world.ts';

function player(name: string, platform: string): Player {
  const person: Person = { platform, id: `U0${name.toUpperCase()}`, name };
  return {
    name: platform === 'red' ? name : `${name} on ${platform}`,
    person,
    here: { platform, conversation: 'C-releases' },
    elsewhere: { platform, conversation: 'C-general' },
  };
}

/** Ana asks first. Bo has an account on both platforms; Cy on blue is somebody else. */
const cast: Cast = {
  players: [
    ...['Ana', 'Bo', 'Cy', 'Dee', 'Gus', 'Ada', 'Eve'].map((name) => player(name, 'red')),
    ...['Bo', 'Cy'].map((name) => player(name, 'blue')),
    { name: 'The host', person: { platform: 'cli', id: 'root', name: 'root' } },
  ],
  people: [['red:U0BO', 'blue:U0BO']],
  admins: ['red:U0ADA'],
};

const first: Circumstances = {
  standings: { 'red:U0GUS': 'guest' },
  roles: { 'red:@deputies': ['red:U0CY', 'red:U0DEE'], 'blue:@deputies': [] },
};

async function open(flow: string): Promise<OpenStage> {
  const clock = createHandClock();
  const platforms = ['red', 'blue'].map((platform) => createFakeChat({ platform, nowMs: clock.now }));
  const tell = ({ standings, roles }: Circumstances) => {
    for (const fake of platforms) {
      const { platform } = fake.channel;
      const idOf = (address: string) => ({ id: address.slice(platform.length + 1) });
      for (const { person } of cast.players) {
        if (person.platform === platform) {
          fake.setStanding(person, standings[`${platform}:${person.id}`] ?? 'member');
        }
      }
      fake.setRole('deputies', (roles[`${platform}:@deputies`] ?? []).map(idOf));
    }
  };
  tell(first);
  const sides = platforms.map((platform) => ({ platform, connect: async () => platform.reconnect() }));
  const world = await createWorld(flow, cast, clock, sides);
  return { world, cast, first, tell };
}

test('approvals are as the model says, whatever people do, whenever the process dies and a chat fails', async () => {
  const nameable = {
    users: ['red:U0BO', 'red:U0CY', 'red:U0GUS', 'red:U0ANA'],
    roles: ['deputies'],
    escalateTo: 'red:U0EVE',
    to: { written: 'red:#general', address: 'red:C-general' },
  };
  await playAlong(nameable, open, { numRuns: 250 });
});
