import type { PastMessage } from '../../engine/digest.ts';
import type { HistoryOutcome, HistoryWindow } from '../../ports/chat.ts';
import { member } from './directory.ts';
import type { IdMaker } from './ids.ts';
import type { MessageRow, Tables } from './tables.ts';
import type { Body } from './view.ts';

/** Messages of other bots among so many of people that one look still finds enough. */
const BOTS_MAX = 1_000;

/** Reads conversations back, for what people wrote in them. */
export function createPast(tables: Tables, ids: IdMaker) {
  return (conversation: string, { sinceMs, untilMs, max }: HistoryWindow): HistoryOutcome => {
    const rows = tables.typed(conversation, sinceMs, untilMs, max + BOTS_MAX).filter(isOfPerson);
    const recent = rows.slice(0, max).toReversed();
    const there = new Set(recent.map(({ seq }) => seq));
    const answered = new Set(
      recent.flatMap(({ thread }) => (thread === null || there.has(thread) ? [] : [thread])),
    );
    const older = [...answered].flatMap((seq) => tables.message(seq) ?? []).filter(isOfPerson);
    return {
      kind: 'read',
      messages: [
        ...older.map((row): PastMessage => ({ ...pastMessage(row), isOlder: true })),
        ...recent.map(pastMessage),
      ],
      isCut: rows.length > max,
    };
  };

  function pastMessage(row: MessageRow): PastMessage {
    const body: Body = JSON.parse(row.body);
    return {
      id: ids.make('m', row.seq),
      atMs: row.at_ms,
      author: { id: row.author, name: member(row.author)?.name ?? row.author },
      text: body.kind === 'typed' ? body.text : '',
      reactions: 0,
      files: 0,
      ...(row.thread !== null && { thread: ids.make('m', row.thread) }),
    };
  }
}

function isOfPerson({ author, deleted_ms }: MessageRow): boolean {
  return deleted_ms === null && member(author)?.bot !== true;
}
