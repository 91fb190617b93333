import type { Json, JsonObject } from '../engine/json.ts';

/** A step type of a plugin, as the runner knows it. */
export interface PluginStep {
  /** Its exits, the main one first. */
  readonly exits: readonly string[];
  /** Its own code: anything may come back, and anything may be thrown. */
  run(config: Json, turn: PluginTurn): unknown;
}

/** Step types of plugins, by name. */
export type PluginSteps = ReadonlyMap<string, PluginStep>;

/** What the code of a plugin gets beside its config. */
export interface PluginTurn {
  /** Aborted when nobody waits any more: the time is over, the run was cancelled, or Flowbot stops. */
  readonly signal: AbortSignal;
  /** Writes a line to the log of Flowbot, without secrets. */
  log(message: string, data?: JsonObject): void;
  /** The attempt; `key` is another one for every attempt, and the same when it is repeated after a crash. */
  readonly run: {
    readonly id: string;
    readonly step: string;
    readonly attempt: number;
    readonly key: string;
  };
}
