/**
 * What Discord takes of messages, in UTF-16 units where it measures text: they are never fewer than its characters.
 * Forms and commands are in `form-limits.ts`.
 * @see https://docs.discord.com/developers/components/reference
 */
export const limits = {
  /** All text displays of a message together. */
  text: 4_000,
  /** One mention of those that a post notifies, with the space behind it. */
  mention: 30,
  /** People and roles that one post notifies. Ours: further ones are left out. */
  notify: 50,
  /** Name of a thread. */
  title: 100,
  rows: 5,
  rowButtons: 5,
  buttonText: 80,
  options: 25,
  optionText: 100,
  /** Of a link. Ours: a longer one is shown as text. */
  url: 2_000,
  codeLanguage: 20,
  /** Lists in lists that are shown further to the right. */
  listIndent: 10,
  /** Columns of monospaced text that a phone shows in one line. */
  tableWidth: 60,
} as const;
