/** The candidate that a misspelt word most likely means, or undefined when none is near. Case does not count. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const near = mostChanges(Math.max(wanted.length, candidate.length));
    const reach = best === undefined ? near : Math.min(near, best.distance - 1);
    if (reach < 0 || Math.abs(wanted.length - Math.min(candidate.length, 64)) > near) continue;
    const distance = editDistance(wanted, candidate.slice(0, 64).toLowerCase(), reach);
    if (distance <= reach) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Of words with so many letters: how many may differ. Two different letters have nothing in common. */
function mostChanges(length: number): number {
  return length === 1 ? 0 : Math.max(1, Math.floor(length / 3));
}

/** What to write instead of an unknown word: the nearest candidate, or else all of them. */
export function suggest(word: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const near = nearest(word, all);
  if (near !== undefined) return `Did you mean ${JSON.stringify(near)}?`;
  if (all.length === 0) return 'Nothing can stand here.';
  return `Use one of: ${all.slice(0, 30).join(', ')}${all.length > 30 ? ', …' : ''}.`;
}

/**
 * Letters to add, drop, change or swap with their neighbour to get from one word to the other; when it is more than
 * `reach`, something above that. Only cells that can still lead to `reach` are worked out: a flow can have
 * thousands of misspelt words.
 */
function editDistance(from: string, to: string, reach: number): number {
  if (Math.abs(from.length - to.length) > reach) return reach + 1;
  let beforeLast = new Uint8Array(to.length + 1);
  let last = Uint8Array.from(beforeLast, (_, column) => column);
  let current = new Uint8Array(to.length + 1);
  for (let row = 1; row <= from.length; row++) {
    const first = Math.max(1, row - reach);
    const end = Math.min(to.length, row + reach);
    let least = row;
    current[0] = row;
    if (first > 1) current[first - 1] = reach + 1;
    for (let column = first; column <= end; column++) {
      const isSame = from.charCodeAt(row - 1) === to.charCodeAt(column - 1);
      const change = at(last, column - 1) + (isSame ? 0 : 1);
      const add = at(current, column - 1) + 1;
      const drop = column < row + reach ? at(last, column) + 1 : reach + 1;
      let best = Math.min(change, add, drop);
      const isSwapped =
        row > 1 &&
        column > 1 &&
        from.charCodeAt(row - 1) === to.charCodeAt(column - 2) &&
        from.charCodeAt(row - 2) === to.charCodeAt(column - 1);
      if (isSwapped) best = Math.min(best, at(beforeLast, column - 2) + 1);
      current[column] = best;
      if (best < least) least = best;
    }
    // A swap reaches over one row, and costs one.
    if (least > reach + 1) return reach + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return at(last, to.length);
}

function at(row: Uint8Array, column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
