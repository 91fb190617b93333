// Generated from the schemas by `npm run generate`: do not edit.

/** The keys of a flow. */
export interface FlowKeys {
  /** The name people type; the file's name when absent. */
  readonly id?: string;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** What the flow does. */
  readonly description?: string;
  /** Whether it can be started. Default: `true`. */
  readonly enabled?: boolean;
  /** Who may start it; absent = anyone in the conversation. */
  readonly allow?: {
    /** People, such as slack:U0ANA or discord:400000000000000002. Default: `[]`. */
    readonly users?: readonly string[];
    /** Roles, by name or id, such as maintainers, slack:S0OPS or discord:800000000000000001. Default: `[]`. */
    readonly roles?: readonly string[];
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** JSON Schema of the input, an object on top. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Where runs live that start outside a conversation, such as slack:#releases or discord:Our Server/#releases. */
  readonly conversation?: string;
  /** What all agents of the flow are told. */
  readonly instructions?: string;
  /** Remind of open questions after this long: 12h; null = never. */
  readonly humanReminder?: string | null;
  /** Where agents and scripts of a run work. Default: `"none"`. */
  readonly workspace?: 'none' | 'folder' | 'git';
  /** Longest time a run may take, waiting for people apart. */
  readonly timeout?: string;
  /** Most steps at work at once in a run. Default: `2`. */
  readonly maxParallel?: number;
  /** Shortest time between two starts by people; schedules and other systems are free of it. */
  readonly coolDown?: {
    /** Between two starts by the same person. */
    readonly user?: string;
    /** Between two starts in the same conversation. */
    readonly conversation?: string;
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** Most runs of it that have not ended; absent = as many as there are. */
  readonly maxRuns?: number;
  /** What becomes of a run beyond maxRuns: it waits for its turn, or does not start. Default: `"queue"`. */
  readonly whenFull?: 'queue' | 'refuse';
  /** Which of the runs that wait for their turn start first. Default: `"normal"`. */
  readonly priority?: 'high' | 'normal' | 'low';
  /** What one run may use up, and all of them on a day. */
  readonly budget?: {
    /** Most tokens. */
    readonly tokens?: number;
    /** Most tool calls. */
    readonly toolCalls?: number;
    /** Most US dollars. */
    readonly costUsd?: number;
    /** Longest time. */
    readonly wallTime?: string;
    /** Most turns of agents. */
    readonly maxTurns?: number;
    /** What all runs of the flow may use up together on a day (UTC). */
    readonly perDay?: {
      /** Most tokens. */
      readonly tokens?: number;
      /** Most tool calls. */
      readonly toolCalls?: number;
      /** Most US dollars. */
      readonly costUsd?: number;
      /** Most turns of agents. */
      readonly maxTurns?: number;
      /** For editors; ignored. */
      readonly ui?: unknown;
    };
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** Parts of the budget at which a person is told: [0.75, 0.9]. Default: `[0.75,0.9]`. */
  readonly alerts?: readonly number[];
  /** Whether MCP clients may call it; the same as a trigger of type mcp. Default: `false`. */
  readonly mcp?: boolean;
  /** What starts runs. Default: `[]`. */
  readonly triggers?: readonly (
    | {
        readonly type: 'command';
        /** The word people type after the prefix or the mention of the bot. */
        readonly command: string;
        /** The conversations it works in; absent = all. */
        readonly in?: readonly string[];
        /** Also a slash command of its own, where platforms have such: /release on Discord. */
        readonly slash?: boolean;
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | {
        readonly type: 'schedule';
        /** When to start, as a cron expression of five fields, or six with seconds in front. */
        readonly cron?: string;
        /** Start at multiples of this length of time, counted from a Monday, 0:00: 15m, 6h. */
        readonly every?: string;
        /** Start once, at this date and time (ISO 8601): 2026-12-24T18:00. */
        readonly at?: string;
        /** IANA time zone, such as Europe/Berlin: UTC. */
        readonly timezone?: string;
        /** The input of the runs it starts. Default: `{}`. */
        readonly input?: Readonly<Record<string, unknown>>;
        /** Which times are made up for that came while Flowbot was down. Default: `"latest"`. */
        readonly catchUp?: 'latest' | 'none' | 'all';
        /** With catchUp: all, how many of them at most; the latest are kept. Default: `10`. */
        readonly catchUpMax?: number;
        /** How late a missed time may still be made up for: 1h. Default: `"1h"`. */
        readonly grace?: string;
        /** What to do while the last run it started has not ended. Default: `"skip"`. */
        readonly overlap?: 'skip' | 'queue' | 'allow';
        /** Start up to this much later, always by the same: spreads schedules that are due together. */
        readonly jitter?: string;
        /** Pause after so many failed runs in a row. */
        readonly pauseAfterFailures?: number;
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | {
        readonly type: 'manual';
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | {
        readonly type: 'webhook';
        /** Name of the secret that the other system knows, too. */
        readonly secret: string;
        /** How a request proves that it knows the secret: by its address, or as this system does it. Default: `"path"`. */
        readonly verify?: 'path' | 'hmac' | 'github' | 'gitlab' | 'stripe' | 'alertmanager';
        /** The input of the runs it starts. Default: `{}`. */
        readonly input?: Readonly<Record<string, unknown>>;
        /** Input from the request, by field: a path into its JSON body (`release.tag_name`), or `header:Name`. Default: `{}`. */
        readonly keep?: Readonly<Record<string, string>>;
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | {
        readonly type: 'api';
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | {
        readonly type: 'mcp';
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
  )[];
  /** The steps, by id. */
  readonly steps: Readonly<Record<string, unknown>>;
  /** How steps follow each other; absent = in the order they are written. */
  readonly edges?: readonly unknown[];
  /** What a run gives back: text or data with placeholders. */
  readonly output?: unknown;
  /** For editors; ignored. */
  readonly ui?: unknown;
}

/** One rule of a condition or an edge. */
export interface Rule {
  /** The step to read. On an edge: the step it leaves, when left out. */
  readonly step?: string;
  /** `text`, `json`, or a field such as `verdict` or `items.0.score` (up to 8 levels). */
  readonly path?: string;
  /** Equal to this, as trimmed text. */
  readonly is?: string | number | boolean;
  /** Not equal to this, as trimmed text; a missing value is not anything. */
  readonly isNot?: string | number | boolean;
  /** A text with this in it (upper and lower case differ), or a list with an item equal to it. */
  readonly contains?: string | number | boolean;
  /** More than this; both sides are numbers. */
  readonly greaterThan?: string | number | boolean;
  /** This or more; both sides are numbers. */
  readonly atLeast?: string | number | boolean;
  /** Less than this; both sides are numbers. */
  readonly lessThan?: string | number | boolean;
  /** This or less; both sides are numbers. */
  readonly atMost?: string | number | boolean;
  /** The value is there and is not null; `false`: it is not. */
  readonly exists?: boolean;
  /** Missing, blank text, an empty list or an empty object; `false`: something is in it. */
  readonly isEmpty?: boolean;
  /** True, or the text `true`; `false`: another value. */
  readonly isTrue?: boolean;
  /** False, or the text `false`; `false`: another value. */
  readonly isFalse?: boolean;
  /** The same comparisons by short names, together with `value`. */
  readonly op?: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';
  /** What `op` compares with. */
  readonly value?: string | number | boolean;
  /** For editors; ignored. */
  readonly ui?: unknown;
}

/** An edge written as an object. */
export interface EdgeKeys {
  /** The step it leaves, with its exit: "review.rejected". A list for several steps. */
  readonly from: string | readonly string[];
  /** The step it leads to. */
  readonly to?: string;
  /** What must hold for the edge to be taken: rules, or a CEL expression. */
  readonly when?:
    | {
        /** Every rule holds. */
        readonly all?: readonly Rule[];
        /** At least one rule holds. */
        readonly any?: readonly Rule[];
        /** The step to read. On an edge: the step it leaves, when left out. */
        readonly step?: string;
        /** `text`, `json`, or a field such as `verdict` or `items.0.score` (up to 8 levels). */
        readonly path?: string;
        /** Equal to this, as trimmed text. */
        readonly is?: string | number | boolean;
        /** Not equal to this, as trimmed text; a missing value is not anything. */
        readonly isNot?: string | number | boolean;
        /** A text with this in it (upper and lower case differ), or a list with an item equal to it. */
        readonly contains?: string | number | boolean;
        /** More than this; both sides are numbers. */
        readonly greaterThan?: string | number | boolean;
        /** This or more; both sides are numbers. */
        readonly atLeast?: string | number | boolean;
        /** Less than this; both sides are numbers. */
        readonly lessThan?: string | number | boolean;
        /** This or less; both sides are numbers. */
        readonly atMost?: string | number | boolean;
        /** The value is there and is not null; `false`: it is not. */
        readonly exists?: boolean;
        /** Missing, blank text, an empty list or an empty object; `false`: something is in it. */
        readonly isEmpty?: boolean;
        /** True, or the text `true`; `false`: another value. */
        readonly isTrue?: boolean;
        /** False, or the text `false`; `false`: another value. */
        readonly isFalse?: boolean;
        /** The same comparisons by short names, together with `value`. */
        readonly op?: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';
        /** What `op` compares with. */
        readonly value?: string | number | boolean;
        /** For editors; ignored. */
        readonly ui?: unknown;
      }
    | string;
  /** Sends work back to an earlier step, which runs again: false. */
  readonly sendBack?: boolean;
  /** With sendBack: the output of the source goes along as feedback. */
  readonly feedback?: boolean;
  /** Another word for sendBack. */
  readonly newRound?: boolean;
  /** With sendBack: how often per run it may be taken: 10. */
  readonly maxRounds?: number;
  /** The steps an agent may pick among. */
  readonly choose?: readonly string[];
  /** With choose and join: how many steps must be picked. */
  readonly min?: number;
  /** With choose: the step where the picked branches meet. */
  readonly join?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
}

/** The keys of a `message` step. */
export interface MessageStep {
  readonly type: 'message';
  /** The conversation to post to, such as `slack:#releases` or `discord:Our Server/#releases`. No placeholders. Left out: where the run lives, in its thread. */
  readonly to?: string;
  /** What to post, in Markdown, with placeholders. Mentions in it notify nobody. */
  readonly text: string;
  /** Whom it notifies: people such as `slack:U0ANA` or `discord:400000000000000002`, roles such as `@oncall`. No placeholders. Default: `[]`. */
  readonly mention?: readonly string[];
  /** In a later round: post a new message, or edit the one of the round before. Default: `"new"`. */
  readonly onRound?: 'new' | 'edit';
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
}

/** The keys of a `approval` step. */
export interface ApprovalStep {
  readonly type: 'approval';
  /** What people are asked to approve. Default: `"Review before continuing"`. */
  readonly title?: string;
  /** Notes for those who decide, in Markdown, with placeholders. */
  readonly notes?: string;
  /** Earlier steps whose output is shown with the question. Default: `[]`. */
  readonly show?: readonly string[];
  /** The answers people can give, in the order of their buttons. Left out: approve and reject. */
  readonly actions?: readonly {
    /** What it is called; `approve` leaves by `approved`, `reject` by `rejected`, any other by its id. */
    readonly id: string;
    /** What the button says. */
    readonly label?: string;
    /** How the button looks. */
    readonly style?: 'primary' | 'danger' | 'plain';
    /** Whether the answer carries a comment. */
    readonly comment?: 'none' | 'optional' | 'required';
    /** Whether the form and the files go with this answer. Left out: with all but reject. */
    readonly form?: boolean;
    /** For editors; ignored. */
    readonly ui?: unknown;
  }[];
  /** JSON Schema of what people fill in with an answer, an object on top. `$ref` can name one in `schemas/`. */
  readonly form?: Readonly<Record<string, unknown>>;
  /** The schema that what people fill in must match. Without `form` it is the form. */
  readonly writes?: string;
  /** Whether files can be attached to an answer: true, or their limits. Default: `false`. */
  readonly attachFiles?:
    | boolean
    | {
        /** Most files. Default: `5`. */
        readonly maxFiles?: number;
        /** Most bytes of each file. Default: `10485760`. */
        readonly maxBytes?: number;
        /** Media types or endings, such as `image/*` or `.csv`; none = any file. Default: `[]`. */
        readonly types?: readonly string[];
        /** For editors; ignored. */
        readonly ui?: unknown;
      };
  /** Who may answer. Left out: everybody in the conversation. */
  readonly approvers?: {
    /** People who may answer, such as `slack:U0ANA` or `discord:400000000000000002`. Default: `[]`. */
    readonly users?: readonly string[];
    /** User groups or server roles whose people may answer, such as `maintainers`. Default: `[]`. */
    readonly roles?: readonly string[];
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** How many people have to answer alike: a number, `all` of those named, or `each`: every person named and somebody of every role. One rejection is enough to reject. Default: `1`. */
  readonly quorum?: number | 'all' | 'each';
  /** Whether the one who started the run may answer. Left out: only when no approvers are named. */
  readonly allowRequester?: boolean;
  /** Whether guests and people of other organisations may answer whom nobody named in person. Default: `false`. */
  readonly allowGuests?: boolean;
  /** How long until people are reminded, and again, five times at most: 12h; null = never. */
  readonly remindAfter?: string | null;
  /** Who may answer, too, after escalateAfter, or once too few of the approvers are left. */
  readonly escalateTo?: {
    /** People who may answer, such as `slack:U0ANA` or `discord:400000000000000002`. Default: `[]`. */
    readonly users?: readonly string[];
    /** User groups or server roles whose people may answer, such as `maintainers`. Default: `[]`. */
    readonly roles?: readonly string[];
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** How long until it goes to those under escalateTo. */
  readonly escalateAfter?: string;
  /** How long people have to decide. */
  readonly expiresAfter?: string;
  /** By which exit it leaves when nobody has decided in time; left out: `expired`. */
  readonly onExpire?:
    | string
    | {
        /** The exit to leave by. */
        readonly exit: string;
        /** What counts as filled in then. Default: `{}`. */
        readonly values?: Readonly<Record<string, unknown>>;
        /** For editors; ignored. */
        readonly ui?: unknown;
      };
  /** The conversation it is asked in, such as `slack:#approvals`. Left out: where the run lives. */
  readonly to?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
}

/** The keys of a `http` step. */
export interface HttpStep {
  readonly type: 'http';
  /** The method, in any case. Default: `"GET"`. */
  readonly method?: string;
  /** The address, with placeholders behind the host. */
  readonly url: string;
  /** Parameters added to the address, by name. Default: `{}`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Headers, by name. `{{secrets.NAME}}` is allowed in their values. Default: `{}`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: one of json, form and text. `{{secrets.NAME}}` is allowed in it. */
  readonly body?: {
    /** JSON: any value with placeholders in its texts, or one text that is JSON with placeholders. */
    readonly json?: unknown;
    /** Fields of a form, by name. */
    readonly form?: Readonly<Record<string, string>>;
    /** Plain text. */
    readonly text?: string;
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** Values to keep as `json.values`, by name: a path into the JSON of the answer (`items.0.id`), or `header:Name`. Default: `{}`. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Statuses that are a success: `404`, `2xx`, `200-299`. Others fail the step. Default: `["2xx"]`. */
  readonly accept?: readonly unknown[];
  /** Most bytes of the answer, unpacked: a number, `500KB` or `10MB`; at most `100MB`. Default: `"10MB"`. */
  readonly maxBytes?: unknown;
  /** Most redirects to follow; 0 follows none. Default: `0`. */
  readonly redirects?: number;
  /** Hosts (`name`, `name:port`, IP) that may be private or local; all others must be public. Default: `[]`. */
  readonly allowHosts?: readonly string[];
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `condition` step. */
export interface ConditionStep {
  readonly type: 'condition';
  /** `yes` when every one of these rules holds. */
  readonly all?: readonly Rule[];
  /** `yes` when at least one of these rules holds. */
  readonly any?: readonly Rule[];
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `join` step. */
export interface JoinStep {
  readonly type: 'join';
  /** When a branch fails: `stop` fails the run, `continue` goes on with the branches that succeeded. Default: `"stop"`. */
  readonly onFailure?: 'stop' | 'continue';
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `template` step. */
export interface TemplateStep {
  readonly type: 'template';
  /** The text to make, with placeholders. */
  readonly text?: string;
  /** The data to make: any value. A text in it that is exactly one placeholder keeps its type. */
  readonly data?: unknown;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `wait` step. */
export interface WaitStep {
  readonly type: 'wait';
  /** How long to wait, such as `30s`, `10m`, `2d`. */
  readonly for?: string;
  /** The time to wait for, such as `2027-01-31T09:00:00+01:00`. */
  readonly until?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `agent` step. */
export interface AgentStep {
  readonly type: 'agent';
  /** The name of the agent. */
  readonly agent: string;
  /** What the agent is to do in this step. */
  readonly task: string;
  /** Earlier steps whose output the agent receives. Default: `[]`. */
  readonly inputs?: readonly string[];
  /** What the reply must look like; text when absent. */
  readonly reply?: {
    /** How the agent replies. Default: `"text"`. */
    readonly format?: 'text' | 'json';
    /** With json: the fields of the reply, by name. */
    readonly fields?: Readonly<
      Record<
        string,
        {
          /** What the field holds. */
          readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object';
          /** What the agent is told about the field. */
          readonly description?: string;
          /** For editors; ignored. */
          readonly ui?: unknown;
        }
      >
    >;
    /** For editors; ignored. */
    readonly ui?: unknown;
  };
  /** The schema that the output must match. */
  readonly writes?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `llm` step. */
export interface LlmStep {
  readonly type: 'llm';
  /** What the model is asked, with placeholders. */
  readonly prompt: string;
  /** What the model is told beforehand. */
  readonly system?: string;
  /** The agent that answers, by name; default when absent. */
  readonly preset?: string;
  /** The schema that the output must match. */
  readonly writes?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `decision` step. */
export interface DecisionStep {
  readonly type: 'decision';
  /** What is to be decided, with placeholders. */
  readonly prompt: string;
  /** What can be chosen: a list of 1 to 64 texts of at most 200 characters, or a placeholder for one. none_of_these is always offered. */
  readonly options: unknown;
  /** Choose one option, or give each a score. Default: `"choose"`. */
  readonly mode?: 'choose' | 'score';
  /** Below this confidence, or without one, the choice is none_of_these. */
  readonly minConfidence?: number;
  /** The agent that answers, by name; default when absent. */
  readonly preset?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
  /** Whether a result is kept, and used again for the same call of the same flow. Default: `false`. */
  readonly cache?: boolean;
}

/** The keys of a `script` step. */
export interface ScriptStep {
  readonly type: 'script';
  /** The program, or the name of a built-in script; no shell reads it. */
  readonly run: string;
  /** Its arguments, one each, with placeholders. Default: `[]`. */
  readonly args?: readonly string[];
  /** Earlier steps whose output it gets as JSON on its standard input. Default: `[]`. */
  readonly inputs?: readonly string[];
  /** The schema that the output must match. */
  readonly writes?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `flow` step. */
export interface FlowStep {
  readonly type: 'flow';
  /** The id of the flow to run. */
  readonly uses: string;
  /** Its input: each field with placeholders. A text that is exactly one placeholder keeps its type. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** The schema that the output must match. */
  readonly writes?: string;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `map` step. */
export interface MapStep {
  readonly type: 'map';
  /** The list to go through: a placeholder, or the list itself. */
  readonly over: unknown;
  /** The id of the flow to run. */
  readonly uses: string;
  /** What else its input holds, the same for each item: fields with placeholders. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** The name of the item in the input of the flow. Default: `"item"`. */
  readonly itemAs?: string;
  /** Most items; with more it fails before any starts. Default: `100`. */
  readonly maxItems?: number;
  /** How many items are at work at once. Default: `2`. */
  readonly maxParallel?: number;
  /** Whether the other items go on when one fails, or the step fails with it. Default: `"stop"`. */
  readonly onItemFailure?: 'collect' | 'stop';
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `tool` step. */
export interface ToolStep {
  readonly type: 'tool';
  /** The MCP server, by its name in the configuration. */
  readonly server: string;
  /** The tool of the server. */
  readonly tool: string;
  /** Its arguments, with placeholders; one that is nothing else keeps the type of its value. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The keys of a `history` step. */
export interface HistoryStep {
  readonly type: 'history';
  /** The conversation to read. */
  readonly conversation: string;
  /** How far back to read, such as 24h; or lastRun: from where the last successful run of the schedule ended (24h for the first one, and for runs that no schedule started). Default: `"lastRun"`. */
  readonly since?: string;
  /** Most messages; the newest are kept. Default: `2000`. */
  readonly maxMessages?: number;
  /** When nobody wrote: say so in the text, or leave by the exit `empty`. Default: `"say"`. */
  readonly whenEmpty?: 'say' | 'silent';
  /** For editors; ignored. */
  readonly ui?: unknown;
  /** What people see; the id when absent. */
  readonly name?: string;
  /** Whether one incoming edge is enough, or all must be live. Default: `"any"`. */
  readonly runWhen?: 'any' | 'all';
  /** How often it is tried before it fails. Default: `1`. */
  readonly attempts?: number;
  /** How long to wait before the second attempt; doubles each time, up to a minute. Default: `"2s"`. */
  readonly firstRetryAfter?: string;
  /** Longest time one attempt may take. */
  readonly timeout?: string;
}

/** The step types that Flowbot brings along. */
export type BuiltInType =
  | 'message'
  | 'approval'
  | 'http'
  | 'condition'
  | 'join'
  | 'template'
  | 'wait'
  | 'agent'
  | 'llm'
  | 'decision'
  | 'script'
  | 'flow'
  | 'map'
  | 'tool'
  | 'history';

/** The keys of a step, by its type. A plugin adds those of its own types by a module augmentation. */
export interface StepKeys {
  readonly message: MessageStep;
  readonly approval: ApprovalStep;
  readonly http: HttpStep;
  readonly condition: ConditionStep;
  readonly join: JoinStep;
  readonly template: TemplateStep;
  readonly wait: WaitStep;
  readonly agent: AgentStep;
  readonly llm: LlmStep;
  readonly decision: DecisionStep;
  readonly script: ScriptStep;
  readonly flow: FlowStep;
  readonly map: MapStep;
  readonly tool: ToolStep;
  readonly history: HistoryStep;
}
