import type { People } from '../../demo/people.ts';
import type { Posted } from './story.ts';

/** A platform that goes on while processes of the bot live and die. */
export interface Platform {
  readonly name: string;
  /** Settings that connect a process to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Its people. @param url where the process answers */
  people(url: string): People;
  /** The bot's messages with their markers, which people can't see. @param db the bot's file */
  posts(db: string): Promise<readonly Posted[]>;
  close(): Promise<void>;
}
