import type { AuditEntry } from '../engine/audit/entry.ts';
import { isJsonObject } from '../engine/json.ts';
import type { Bot } from './bot.ts';

/** The versions that the audit knows as those in force, by flow id. */
const noteKey = 'flow-versions';

/** Puts into the audit which versions of flows have come into force since it was asked last, also over restarts. */
export async function rememberFlowVersions({ store, catalog, clock }: Bot): Promise<void> {
  const now = new Map(catalog.flows.map(({ id, version }) => [id, version]));
  const note = await store.note(noteKey);
  const before = new Map(isJsonObject(note) ? Object.entries(note) : []);
  const changed = [...now].filter(([flow, version]) => before.get(flow) !== version);
  const gone = [...before.keys()].filter((flow) => !now.has(flow));
  if (changed.length + gone.length === 0) return;
  const entry = { type: 'flow.changed', atMs: clock.now() } as const;
  const audit: readonly AuditEntry[] = [
    ...changed.map(([flow, version]) => ({ ...entry, flow, version })),
    ...gone.map((flow) => ({ ...entry, flow })),
  ];
  await store.commit({ audit });
  await store.setNote(noteKey, Object.fromEntries(now));
}
