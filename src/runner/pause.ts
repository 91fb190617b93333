import { isJsonObject, type Json } from '../engine/json.ts';
import type { Person } from '../engine/people.ts';
import type { Pause, Store } from '../ports/store.ts';

const noteKey = 'paused';

/** Whether everything is paused, as it was stored. */
export async function readPause(store: Store): Promise<Pause | undefined> {
  const note = await store.note(noteKey);
  if (!isJsonObject(note) || typeof note.atMs !== 'number' || typeof note.why !== 'string') return undefined;
  const by = readPerson(note.by);
  return { atMs: note.atMs, why: note.why, ...(by && { by }) };
}

/** Stores that everything is paused, or is not any more. */
export async function writePause(store: Store, pause: Pause | undefined): Promise<void> {
  await store.setNote(
    noteKey,
    pause ? { atMs: pause.atMs, why: pause.why, by: pause.by ? { ...pause.by } : null } : null,
  );
}

function readPerson(json: Json | undefined): Person | undefined {
  if (!isJsonObject(json)) return undefined;
  const { platform, id, name } = json;
  return typeof platform === 'string' && typeof id === 'string' && typeof name === 'string'
    ? { platform, id, name }
    : undefined;
}
