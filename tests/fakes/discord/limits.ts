/** What Discord accepts, where its OpenAPI document does not say it or says something else. Lengths are UTF-16 units. */
export const limits = {
  contentMaxChars: 2000,
  /** All text displays of a message together. */
  textMaxChars: 4000,
  /** All components of a message, those inside others included. */
  componentsMax: 40,
  /** Action rows of a message without `messageFlags.componentsV2`. */
  legacyRowsMax: 5,
  rowButtonsMax: 5,
  /** Labels and texts of a modal. */
  modalComponentsMax: 5,
  mentionsMax: 100,
  /** Names, descriptions and values of a command together. */
  commandMaxChars: 8000,
  choiceMaxChars: 100,
  /** Commands of a scope, by `type`. */
  commandsMax: { 1: 100, 2: 15, 3: 15 },
} as const;

/** Bits of `flags` of a message. */
export const messageFlags = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  componentsV2: 1 << 15,
} as const;

/** Numbers in `type` of a component. */
export const componentTypes = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;
