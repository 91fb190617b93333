/**
 * What Slack takes, in UTF-16 units where it measures text. From Slack's reference of methods and Block Kit, and from
 * its type declarations, unless a line says otherwise.
 */
export const limits = {
  /** `text` of a message: longer ones are refused by `chat.update`. Counted escaped. */
  text: 4_000,
  /** JSON of all blocks of a message. Undocumented: refused from about 13,200 on (slackapi/bolt-js#2509). */
  blocksJson: 12_000,
  blocks: 50,
  viewBlocks: 100,
  /** Any text object, so also a section. */
  textObject: 3_000,
  header: 150,
  actions: 25,
  /** JSON of a block of buttons and of all of them under a message. Ours: it leaves the words the greater half. */
  buttonsJson: 5_000,
  buttonText: 75,
  tableColumns: 20,
  tableRows: 100,
  /** All cells of a table together; not in the reference, other bots have met it. */
  tableText: 10_000,
  listIndent: 8,
  url: 3_000,
  /** People and groups that one post notifies. Ours: further ones are left out. */
  notify: 50,
  viewTitle: 24,
  viewButton: 24,
  privateMetadata: 3_000,
  inputLabel: 2_000,
  inputHint: 2_000,
  inputText: 3_000,
  options: 100,
  /** Files of one field. */
  files: 10,
  optionText: 75,
  optionValue: 75,
} as const;
