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
  /** Buttons under the last part of the post. */
  readonly buttons: readonly Button[];
  /** Platform ids of the people the post notifies: the only way a post can notify anybody. */
  readonly notify: readonly string[];
}

/** A field of a form. `id` is a plain identifier; values come back as text, lists as JSON text. */
export interface FormField {
  readonly id: string;
  readonly label: string;
  readonly type: 'text' | 'multiline' | 'number' | 'integer' | 'boolean' | 'select' | 'multiselect';
  readonly required: boolean;
  readonly hint?: string;
  readonly initial?: string;
  /** For `select` and `multiselect`: the values offered. */
  readonly options?: readonly string[];
  /** Longest accepted text, in UTF-16 units. */
  readonly maxLength?: number;
}

/** A form a person fills in (a modal). */
export interface Form {
  /** What comes back with the submission: at most 100 characters. */
  readonly id: string;
  readonly title: string;
  readonly submitLabel: string;
  readonly fields: readonly FormField[];
}
