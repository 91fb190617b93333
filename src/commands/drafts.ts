import type { Form } from '../engine/post.ts';

/** Forms waiting behind buttons, filled with what was understood of a message. Lost with the process: then they are blank. */
export interface Drafts {
  keep(form: Form): void;
  /** The blank form, with what is known for the fields it has. */
  fill(blank: Form): Form;
}

/** Most forms kept; older ones are blank again. */
const draftsMax = 500;

/** Makes the place where forms wait. */
export function createDrafts(): Drafts {
  const kept = new Map<string, ReadonlyMap<string, string>>();
  return {
    keep({ id, fields }) {
      const known = fields.flatMap(({ id, initial }) =>
        initial === undefined ? [] : [[id, initial] as const],
      );
      kept.delete(id);
      kept.set(id, new Map(known));
      const [oldest] = kept.keys();
      if (kept.size > draftsMax && oldest !== undefined) kept.delete(oldest);
    },
    fill(blank) {
      const known = kept.get(blank.id);
      if (!known) return blank;
      const fields = blank.fields.map((field) => {
        const initial = known.get(field.id);
        return initial === undefined ? field : { ...field, initial };
      });
      return { ...blank, fields };
    },
  };
}
