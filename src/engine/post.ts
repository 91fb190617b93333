import type { Prose } from './prose.ts';

/** A button under a post. */
export interface Button {
  /** What comes back with the click: at most 100 characters, an address and never a proof of permission. */
  readonly id: string;
  /** Plain text; adapters shorten it to their platform's limit by whole visible characters. */
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
}

/** What a post says, before any platform's form. */
export interface PostContent {
  readonly prose: Prose;
  /** What a thread that begins with it is called, where threads have names; absent = its first line. */
  readonly title?: string;
  /** Buttons under the last part of the post. */
  readonly buttons: readonly Button[];
  /**
   * Whom the post notifies, and the only way a post can notify anybody: platform ids of people, and roles (user
   * groups, server roles) as `@name` or `@id`. What is neither notifies nobody.
   */
  readonly notify: readonly string[];
  /** People have to find it: what somebody deletes of it is posted again. */
  readonly lasting?: true;
  /** It only shows how far something is and newer content will follow: platforms that are busy show it late or never. */
  readonly progress?: true;
  /**
   * Files and pictures that follow the words, in order; absent = none. At most `FILES_MAX`, each as `fileFault` wants
   * it. An answer that one person sees shows its pictures and no other files; a picture that can't be shown is told of.
   */
  readonly files?: readonly PostFile[];
}

/** A file that is posted as a message of its own; PNG, JPEG and GIF are shown as pictures. It can't be edited. */
export interface PostFile {
  /** As people see it: at most `FILE_NAME_MAX_CHARS` letters, digits, `.`, `-` and `_`; begins with no dot or dash. */
  readonly name: string;
  /** `text/markdown`, `image/png`. */
  readonly mediaType: string;
  /** What a picture shows, for people who can't see it; may be `""` for other files. */
  readonly alt: string;
  /** The bytes in base64: at least 1, at most `FILE_MAX_BYTES`. */
  readonly data: string;
}

/**
 * What a field takes. Its value is text: a `boolean` is `true` or `false`, a `multiselect` a JSON list, a `date`
 * `2026-11-30`, a `time` `09:30`, a `datetime` `2026-11-30T09:30:00Z`, a `user`, `channel` or `role` the platform's id, `files`
 * a JSON list of what was sent (`{ id, name, type, sizeBytes, url }`, at most ten), or "".
 */
export type FieldType =
  | 'text'
  | 'multiline'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'select'
  | 'multiselect'
  | 'date'
  | 'time'
  | 'datetime'
  | 'user'
  | 'channel'
  | 'role'
  | 'files';

/** A field of a form. `id` is a plain identifier. */
export interface FormField {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly hint?: string;
  readonly initial?: string;
  /** For `select` and `multiselect`: the values offered. */
  readonly options?: readonly string[];
  /** Shortest and longest accepted text, in UTF-16 units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Least and greatest accepted number. */
  readonly min?: number;
  readonly max?: number;
}

/** A form a person fills in (a modal). */
export interface Form {
  /** What comes back with the submission: at most 100 characters. */
  readonly id: string;
  readonly title: string;
  readonly submitLabel: string;
  readonly fields: readonly FormField[];
}

/** A page about one person: what waits for them, what runs, what they may start. */
export interface HomePage {
  readonly sections: readonly HomeSection[];
}

/** A part of such a page. */
export interface HomeSection {
  readonly title: string;
  /** Said when there are no items. */
  readonly empty: string;
  readonly items: readonly HomeItem[];
}

/** One line of such a page, with what can be done about it. */
export interface HomeItem {
  readonly prose: Prose;
  readonly buttons: readonly Button[];
}
