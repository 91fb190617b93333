/** What an id of the workspace names. */
type IdKind = 'm' | 'p' | 'e' | 'u';

/**
 * Ids of messages (`m`), private messages (`p`), events (`e`) and uploads (`u`): `m000000042-<tag>`. In one workspace
 * they sort as they were made.
 */
export interface IdMaker {
  make(kind: IdKind, seq: number): string;
  /** The number in an id; undefined when it is not one of this workspace and kind. */
  read(kind: IdKind, id: string): number | undefined;
}

/** Ids of the workspace with this tag. */
export function createIdMaker(tag: string): IdMaker {
  const make = (kind: IdKind, seq: number) => `${kind}${String(seq).padStart(9, '0')}-${tag}`;
  return {
    make,
    read(kind, id) {
      const seq = Number.parseInt(id.slice(1), 10);
      return Number.isSafeInteger(seq) && make(kind, seq) === id ? seq : undefined;
    },
  };
}
