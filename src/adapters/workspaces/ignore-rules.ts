/** A `.gitignore`, by the folder it stands in: `''` for the top, `docs/api`. */
export interface IgnoreFile {
  readonly folder: string;
  readonly text: string;
}

/**
 * The rules of all of them as one file that stands at the top, so that they count whatever has become of the files since.
 * https://git-scm.com/docs/gitignore#_pattern_format
 */
export function rulesOf(files: readonly IgnoreFile[]): string {
  const depth = ({ folder }: IgnoreFile) => (folder === '' ? 0 : folder.split('/').length);
  // Of rules that contradict each other the last one counts, and those of inner folders come last.
  const sorted = files.toSorted((one, other) => depth(one) - depth(other));
  return sorted
    .flatMap(({ folder, text }) => text.split(/\r?\n/).flatMap((line) => ruleAt(folder, line)))
    .join('\n');
}

function ruleAt(folder: string, line: string): readonly string[] {
  if (line.startsWith('#') || line.trim() === '') return [];
  if (folder === '') return [line];
  const isException = line.startsWith('!');
  const pattern = isException ? line.slice(1) : line;
  const isAnchored = pattern.replace(/\s+$/, '').replace(/\/$/, '').includes('/');
  const inside = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return [`${isException ? '!' : ''}/${folder.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}/${inside}`];
}
