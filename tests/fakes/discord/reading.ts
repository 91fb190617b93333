import type { SeenFile } from '../../contracts/chat-harness.ts';
import { componentTypes } from './limits.ts';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';
import { componentsIn, type Loose, list, loose } from './tree.ts';

/** A message, or the body that makes one. */
export interface ReadableMessage {
  readonly content?: string | null | undefined;
  readonly components?: unknown;
  readonly attachments?: readonly ReadableAttachment[] | undefined;
}

/** A file with a message. */
export interface ReadableAttachment {
  readonly filename: string;
  readonly description?: string | null | undefined;
  /** Where it is, when components name it so. */
  readonly url?: string | undefined;
  /** What is in it, when it is something to read. */
  readonly text?: string | undefined;
}

/** What a person reads of a message. */
export interface Reading {
  /** Plain visible text: formatting gone, without the names of those who are notified in front. */
  readonly text: string;
  /** What can be pressed or chosen, in order. */
  readonly buttons: readonly SeenButton[];
  /** What a component shows: others are not seen. */
  readonly files: readonly SeenFile[];
}

/** Something to press or choose. */
export interface SeenButton {
  /** `custom_id` of a button, address of a link, `value` of an option. */
  readonly id: string;
  readonly label: string;
}

/** The name of what a text mentions; undefined = nobody knows it, its id is shown. */
export type NameOf = (kind: 'user' | 'role' | 'channel', id: string) => string | undefined;

/** What a person reads of a message. */
export function readingOf(message: ReadableMessage, nameOf: NameOf = () => undefined): Reading {
  const placed = componentsIn(message.components).map(({ component }) => component);
  const displays = placed.filter(({ type }) => type === componentTypes.textDisplay).map(textOf);
  const names = placed[0]?.type === componentTypes.textDisplay && isOnlyMentions(displays[0] ?? '');
  const texts = [...(message.content ? [message.content] : []), ...(names ? displays.slice(1) : displays)];
  return {
    text: texts.map((text) => visibleText(text, nameOf)).join('\n'),
    buttons: placed.flatMap(buttonsOf),
    files: placed.flatMap((component) => filesOf(component, message.attachments ?? [])),
  };
}

/** What a text reads like: invisible spaces are left out. */
export function visibleText(text: string, nameOf: NameOf = () => undefined): string {
  return shown(parseMarkdown(text), nameOf).replaceAll('\u200b', '');
}

/**
 * Everything in a text that Discord's clients show as something other than text: `user:1`, `everyone`. What stands
 * in a masked link counts, its address included, because not every client reads those.
 */
export function mentionNodes(text: string): readonly string[] {
  const found = [...mentionsIn(parseMarkdown(text, 'links')), ...mentionsIn(parseMarkdown(text, 'no links'))];
  return [...new Set(found)];
}

function mentionsIn(nodes: readonly MarkdownNode[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'mention') return node.id === '' ? [node.of] : [`${node.of}:${node.id}`];
    return 'inner' in node ? mentionsIn(node.inner) : [];
  });
}

const isOnlyMentions = (text: string) => /^<@&?\d+>(?: +<@&?\d+>)* *$/.test(text);
const textOf = (component: Loose) => stringIn(component, 'content');

function stringIn(value: Loose, key: string): string {
  const found = value[key];
  return typeof found === 'string' ? found : '';
}

function shown(nodes: readonly MarkdownNode[], nameOf: NameOf): string {
  let text = '';
  for (const [index, node] of nodes.entries()) {
    const isLast = index === nodes.length - 1;
    const isAtLineStart = /(?:^|\n) *$/.test(text);
    switch (node.kind) {
      case 'text':
        // An escaped mark is a node of its own.
        text += isAtLineStart ? node.text.replace(/^( *)[-*] +/, '$1• ') : node.text;
        break;
      case 'break':
        text += '\n';
        break;
      case 'styled':
        text += shown(node.inner, nameOf);
        break;
      case 'line':
        text += shown(node.inner, nameOf) + (isLast ? '' : '\n');
        break;
      case 'quote':
        text += shown(node.inner, nameOf).replace(/\n$/, '').replaceAll(/^/gm, '> ') + (isLast ? '' : '\n');
        break;
      case 'code':
        text += node.text;
        break;
      case 'codeBlock':
        // A block has lines of its own, whatever stands beside it.
        text += `${isAtLineStart ? '' : '\n'}${node.text}${isLast || nodes[index + 1]?.kind === 'break' ? '' : '\n'}`;
        break;
      case 'link': {
        const label = shown(node.inner, nameOf);
        text += label === node.url ? label : `${label} (${node.url})`;
        break;
      }
      case 'mention':
        text += mentionShown(node, nameOf);
        break;
    }
  }
  return text;
}

function mentionShown(node: Extract<MarkdownNode, { kind: 'mention' }>, nameOf: NameOf): string {
  if (node.of !== 'user' && node.of !== 'role' && node.of !== 'channel') return node.shown;
  const name = nameOf(node.of, node.id);
  return name === undefined ? node.shown : `${node.of === 'channel' ? '#' : '@'}${name}`;
}

function buttonsOf(component: Loose): readonly SeenButton[] {
  if (component.disabled === true) return [];
  switch (component.type) {
    case componentTypes.button: {
      const id = stringIn(component, 'custom_id') || stringIn(component, 'url');
      return [{ id, label: stringIn(component, 'label') }];
    }
    case componentTypes.stringSelect:
      return list(component.options)
        .map(loose)
        .map((option) => ({ id: stringIn(option, 'value'), label: stringIn(option, 'label') }));
    default:
      return [];
  }
}

function filesOf(component: Loose, attachments: readonly ReadableAttachment[]): readonly SeenFile[] {
  const attached = (media: unknown) => {
    const url = stringIn(loose(media), 'url');
    return attachments.find((each) => url === `attachment://${each.filename}` || url === each.url);
  };
  switch (component.type) {
    case componentTypes.file: {
      const file = attached(component.file);
      return file ? [{ name: file.filename, ...(file.text !== undefined && { text: file.text }) }] : [];
    }
    case componentTypes.mediaGallery:
      return list(component.items)
        .map(loose)
        .flatMap((item) => pictureOf(attached(item.media), item));
    case componentTypes.thumbnail:
      return pictureOf(attached(component.media), component);
    default:
      return [];
  }
}

function pictureOf(file: ReadableAttachment | undefined, described: Loose): readonly SeenFile[] {
  const alt = stringIn(described, 'description') || file?.description;
  return file ? [{ name: file.filename, ...(alt && { alt }) }] : [];
}
