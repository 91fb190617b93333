import Database from 'better-sqlite3';
import { createPeople } from '../../demo/people.ts';
import { createIdMaker } from '../../src/adapters/playground/ids.ts';
import { readPart } from '../../src/adapters/playground/part.ts';
import { plainText } from '../../src/render/markdown/index.ts';
import type { Platform } from './platform.ts';
import type { Home } from './process.ts';
import type { Posted } from './story.ts';

/** The playground, which lives in a file beside the bot's. */
export const playground: Platform = {
  name: 'playground',
  env: {},
  people: createPeople,
  posts: async (db) => postsOf(`${db}.playground`),
  close: async () => {},
};

/** All that a person was told privately before Flowbot was stopped; their page shows only the newest. */
export function toldTo(home: Home, person: string): readonly string[] {
  const db = new Database(`${home.db}.playground`, { readonly: true });
  try {
    const bodies = db
      .prepare<[string], string>('SELECT body FROM privates WHERE person = ? ORDER BY seq')
      .pluck();
    return bodies.all(person).map((body) => {
      const part = readPart(JSON.parse(body).part);
      if ('refused' in part) throw new Error(part.refused);
      return plainText(part.markdown);
    });
  } finally {
    db.close();
  }
}

/** The bot's messages with their markers, which people can't see, from the playground's own file. */
function postsOf(file: string): readonly Posted[] {
  const db = new Database(file, { readonly: true });
  try {
    const ids = createIdMaker(db.prepare<[], string>('SELECT tag FROM workspace').pluck().get() ?? '');
    const rows = db
      .prepare<[], { seq: number; conversation: string; body: string; marker: string }>(
        'SELECT seq, conversation, body, marker FROM messages WHERE marker IS NOT NULL ORDER BY seq',
      )
      .all();
    return rows.map(({ seq, conversation, body, marker }) => {
      const part = readPart(JSON.parse(body).part);
      if ('refused' in part) throw new Error(part.refused);
      const buttons = part.buttons.map(({ label }) => label);
      return { key: marker, id: ids.make('m', seq), conversation, text: part.markdown, buttons };
    });
  } finally {
    db.close();
  }
}
