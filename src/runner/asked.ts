import type { Question, RunState } from '../engine/run/state.ts';

/** An open question as it was asked, with as much of its run as decides who may answer. */
export interface AskedQuestion {
  readonly run: Pick<RunState, 'id' | 'status' | 'start'>;
  readonly question: Question;
}

/** Open questions that were asked or changed lately: what people press is most often one of them. */
export interface Asked {
  /** Takes in where a run is now. */
  note(run: RunState): void;
  /** Undefined = it is not among them, and may be open all the same. */
  find(question: string): AskedQuestion | undefined;
}

/** Most questions kept in mind. */
const keptMax = 1_000;

/** Makes it. */
export function createAsked(): Asked {
  const kept = new Map<string, AskedQuestion>();

  return {
    note({ id, status, start, questions }) {
      for (const question of Object.values(questions)) {
        kept.delete(question.id);
        if (question.state.status !== 'open') continue;
        // What it shows can be large, and is not needed for an answer.
        const { ask: _, ...lean } = question;
        kept.set(question.id, { run: { id, status, start }, question: lean });
        const [oldest] = kept.keys();
        if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
      }
    },
    find: (question) => kept.get(question),
  };
}
