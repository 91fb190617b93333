/** Limits of a run that no flow can raise, and what holds where a flow says nothing. The limits of what may be written in a flow stand in its schema. */
export const HTTP_REQUESTS_PER_RUN = 200;
/** Attempts of steps that ask agents. */
export const AGENT_STEPS_PER_RUN = 200;
/** Time for one attempt of a step that sets none, in milliseconds, by the kind of its call. */
export const DEFAULT_TIMEOUT_MS = {
  http: 30_000,
  tool: 60_000,
  script: 600_000,
  plugin: 600_000,
  agent: 900_000,
} as const;
/** How deep runs may be nested: the one at the top is not counted. */
export const LANE_DEPTH_MAX = 10;
/** Longest wait before another attempt, in milliseconds. */
export const RETRY_AFTER_MAX_MS = 60_000;
/** Longest comment a person can give with an answer, in UTF-16 units. */
export const FEEDBACK_MAX_CHARS = 4_000;
/** Most characters of all outputs on a question's card; what is longer is in a file besides. */
export const SHOWN_MAX_CHARS = 40_000;
/** Most characters of the notes on a question's card; what is longer is in a file besides. */
export const NOTES_MAX_CHARS = 8_000;
/** Most people and roles that one post notifies; whoever is named beyond that can still answer. */
export const NOTIFIED_MAX = 50;
/** Most files that one post carries. */
export const FILES_MAX = 5;
/** Most bytes of a file that is posted. */
export const FILE_MAX_BYTES = 5_000_000;
/** Longest name of a file that is posted, in characters. */
export const FILE_NAME_MAX_CHARS = 80;
/** Longest text that a message step posts as a file, in UTF-16 units: in UTF-8 it stays below `FILE_MAX_BYTES`. */
export const FILE_TEXT_MAX_CHARS = 1_000_000;
/** Most characters of the title of a question. */
export const TITLE_MAX_CHARS = 200;
