import { type Logger, LogLevel } from '@slack/bolt';

/** Bolt's own log: what fails is told by who called it, in our words, and its lines quote what people write. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};
