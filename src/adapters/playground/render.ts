import type { Form, PostContent, PostFile } from '../../engine/post.ts';
import { fileFault, isOnlyFiles, picturesOf } from '../../engine/post-file.ts';
import type { Part } from '../../ports/chat.ts';
import { compose, shorten, splitMarkdown } from '../../render/markdown/index.ts';
import { unshown } from '../chat/unshown.ts';
import { peopleWith } from './directory.ts';
import { limits } from './limits.ts';
import type { PlaygroundFile, PlaygroundPart } from './part.ts';

/** Shown for content without any text, so that its buttons have a message to stand under. */
const nothingToSay = '*(empty)*';

/** Content as all the messages it takes: those of its words, then one for each file. */
export function renderParts(content: PostContent): readonly Part[] {
  const files = (content.files ?? []).map((file) => ({ file: { ...file } }));
  return isOnlyFiles(content) ? files : [...renderPost(content), ...files];
}

/** Content as all that one person is shown: the messages of its words, then one for each picture. */
export function renderPrivate(content: PostContent): readonly (PlaygroundPart | PlaygroundFile)[] {
  const shown = (file: PostFile) => (fileFault(file) === undefined ? [{ file }] : renderPost(unshown(file)));
  return [...renderPost(content), ...picturesOf(content).flatMap<PlaygroundPart | PlaygroundFile>(shown)];
}

/** The words of content as the messages they take: notifying with the first, buttons under the last. A role is its people. */
export function renderPost(content: PostContent): readonly PlaygroundPart[] {
  const markdown = compose(content.prose);
  const texts =
    markdown.trim() === '' ? [nothingToSay] : splitMarkdown(markdown, (text) => text.length <= limits.text);
  return texts.map((text, index) => ({
    markdown: text,
    buttons:
      index === texts.length - 1
        ? content.buttons.map((button) => ({ ...button, label: shorten(button.label, limits.buttonLabel) }))
        : [],
    notify: index === 0 ? notified(content.notify) : [],
  }));
}

function notified(called: readonly string[]): string[] {
  const people = called.flatMap((one) => (one.startsWith('@') ? (peopleWith(one.slice(1)) ?? []) : [one]));
  return [...new Set(people)];
}

/** A form with its words shortened to what the playground shows. */
export function fitForm(form: Form): Form {
  return {
    ...form,
    title: shorten(form.title, limits.formTitle),
    submitLabel: shorten(form.submitLabel, limits.formSubmitLabel),
    fields: form.fields.map((field) => ({
      ...field,
      label: shorten(field.label, limits.fieldLabel),
      ...(field.hint === undefined ? {} : { hint: shorten(field.hint, limits.fieldHint) }),
    })),
  };
}
