import { defaultAttachmentLimits } from '../engine/attachments.ts';
import { coerceText, formFields, type InputProblem } from '../engine/data/input.ts';
import type { JsonObject } from '../engine/json.ts';
import { FEEDBACK_MAX_CHARS } from '../engine/limits.ts';
import type { Form, FormField } from '../engine/post.ts';
import { carriedFingerprint } from '../engine/run/fingerprint.ts';
import type { Question, QuestionAction } from '../engine/run/state.ts';
import type { Answer, ChatSubmit } from '../ports/chat.ts';
import { writeActionId } from './action-ids.ts';
import { fieldErrors } from './form-errors.ts';

const FEEDBACK = 'feedback';
const FILES = 'attachments';
/** Before the names of a question's own fields, so that none is taken for one of ours. */
const OWN = 'field_';

/** The form that goes with an answer; undefined = it needs none. @param platform where it is filled in */
export function answerForm(question: Question, action: QuestionAction, platform: string): Form | undefined {
  const fields = [
    ...(action.bare ? [] : ownFields(question, platform)),
    ...(action.comment === 'none' ? [] : [commentField(action)]),
  ];
  if (fields.length === 0) return undefined;
  return {
    id: writeActionId({
      kind: 'answer',
      question: question.id,
      action: action.id,
      form: 'none',
      covers: carriedFingerprint(question.covers),
    }),
    title: action.id === 'output' ? 'Output of the step' : action.label,
    submitLabel: action.id === 'output' ? 'Done' : action.label,
    fields,
  };
}

function ownFields({ form, attach }: Question, platform: string): readonly FormField[] {
  const filled = form
    ? formFields(form, {}, platform).map((field) => ({ ...field, id: `${OWN}${field.id}` }))
    : [];
  if (!attach) return filled;
  const { maxFiles, types } = { ...defaultAttachmentLimits, ...attach };
  const hint = [`At most ${maxFiles}`, ...(types.length > 0 ? [types.join(', ')] : [])].join(': ');
  return [...filled, { id: FILES, label: 'Files', type: 'files', required: false, hint }];
}

/** What is asked for with the answers that everybody knows. */
const COMMENT_LABELS: ReadonlyMap<string, string> = new Map([
  ['output', 'What it gave'],
  ['reject', 'What should change?'],
]);

function commentField({ id, comment }: QuestionAction): FormField {
  return {
    id: FEEDBACK,
    label: COMMENT_LABELS.get(id) ?? 'Comment',
    type: 'multiline',
    required: comment === 'required',
    maxLength: FEEDBACK_MAX_CHARS,
  };
}

/** What somebody sent with such a form. */
interface FilledIn {
  readonly feedback: string;
  /** The text of its `files` field. */
  readonly files: string;
  readonly values: JsonObject;
  /** What could not be read. */
  readonly unread: readonly InputProblem[];
}

/** Reads what somebody sent; only what the question asks for counts. */
export function readFilledIn({ form }: Pick<Question, 'form'>, values: ChatSubmit['values']): FilledIn {
  const own = Object.entries(values).flatMap(([id, text]) =>
    id.startsWith(OWN) ? [[id.slice(OWN.length), text] as const] : [],
  );
  const read = form ? coerceText(form, Object.fromEntries(own)) : { input: {}, problems: [] };
  return {
    feedback: values[FEEDBACK] ?? '',
    files: values[FILES] ?? '',
    values: read.input,
    unread: read.problems,
  };
}

/** What is wrong with a question's own fields, said at them; undefined when that was not shown. */
export function answerErrors(
  problems: readonly InputProblem[],
  values: ChatSubmit['values'],
): Answer | undefined {
  return fieldErrors(problems, values, OWN);
}

/** What somebody typed into a form, so that it is not lost with a refusal; `""` = nothing. */
export function typedInto(values: ChatSubmit['values']): string {
  return Object.entries(values)
    .filter(([id, text]) => id !== FILES && text.trim() !== '')
    .map(([, text]) => text)
    .join('\n\n');
}
