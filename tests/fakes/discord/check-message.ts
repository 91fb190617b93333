import { checkComponents } from './check-components.ts';
import { type BodyFault, faultUnless, inside, repeats } from './check-faults.ts';
import { componentTypes, limits, messageFlags } from './limits.ts';
import { componentsIn, type Loose, list, loose, textsOf } from './tree.ts';

/** What a route does with a message. */
export interface MessageUse {
  /** It makes a message; otherwise it changes what is given. */
  readonly makes: boolean;
  /** The flags it takes. */
  readonly flags: number;
}

/** What Discord has against a message besides its shape. */
export function checkMessage(body: unknown, use: MessageUse, path = ''): readonly BodyFault[] {
  const message = loose(body);
  return [
    ...checkFlags(message, use, path),
    ...checkSomething(message, use, path),
    ...checkText(message, path),
    ...checkLayout(message, use, path),
    ...checkComponents(message.components, inside(path, 'components')),
    ...checkAllowedMentions(message.allowed_mentions, inside(path, 'allowed_mentions')),
  ];
}

function isV2({ flags }: Loose): boolean {
  return typeof flags === 'number' && (flags & messageFlags.componentsV2) !== 0;
}

function checkFlags({ flags }: Loose, use: MessageUse, path: string): readonly BodyFault[] {
  if (typeof flags !== 'number') return [];
  return faultUnless(
    (flags & ~use.flags) === 0,
    inside(path, 'flags'),
    `Flags ${flags & ~use.flags} can't be set here.`,
  );
}

/** A new message shows something. */
function checkSomething(message: Loose, use: MessageUse, path: string): readonly BodyFault[] {
  if (!use.makes) return [];
  const hasText = typeof message.content === 'string' && message.content.trim() !== '';
  const carriers = isV2(message)
    ? [message.components]
    : [message.components, message.embeds, message.attachments, message.sticker_ids];
  const isThere = hasText || loose(message.poll).question || carriers.some((each) => list(each).length > 0);
  return faultUnless(Boolean(isThere), path, 'Cannot send an empty message.');
}

function checkText(message: Loose, path: string): readonly BodyFault[] {
  const content = typeof message.content === 'string' ? message.content : '';
  const displays = componentsIn(message.components, inside(path, 'components')).filter(
    ({ component }) => component.type === componentTypes.textDisplay,
  );
  const chars = textsOf({ components: message.components }).reduce((sum, text) => sum + text.length, 0);
  return [
    ...faultUnless(
      content.length <= limits.contentMaxChars,
      inside(path, 'content'),
      `This has ${content.length} characters, more than ${limits.contentMaxChars}.`,
    ),
    ...faultUnless(
      chars <= limits.textMaxChars,
      inside(path, 'components'),
      `The text displays have ${chars} characters together, more than ${limits.textMaxChars}.`,
    ),
    ...displays.flatMap(({ path: at, component }) =>
      faultUnless(
        typeof component.content !== 'string' || component.content.trim() !== '',
        inside(at, 'content'),
        'This is blank.',
      ),
    ),
  ];
}

const legacyKeys = ['content', 'embeds', 'poll', 'sticker_ids'];

/** What may stand with IS_COMPONENTS_V2, and what only with it. */
function checkLayout(message: Loose, use: MessageUse, path: string): readonly BodyFault[] {
  if (isV2(message)) {
    // An edit empties what the message had before.
    const isEmpty = (value: unknown) =>
      value === undefined ||
      value === null ||
      (!use.makes && (value === '' || (Array.isArray(value) && value.length === 0)));
    return legacyKeys.flatMap((key) =>
      faultUnless(isEmpty(message[key]), inside(path, key), "This can't stand with IS_COMPONENTS_V2."),
    );
  }
  // An edit without flags leaves the message the flag it has.
  const mayBeV2 = !use.makes && typeof message.flags !== 'number';
  const components = list(message.components).map(loose);
  const isRow = ({ type }: Loose) => type === componentTypes.actionRow;
  return [
    ...(mayBeV2
      ? []
      : components.flatMap((each, index) =>
          faultUnless(
            isRow(each),
            `${inside(path, 'components')}.${index}.type`,
            'Without IS_COMPONENTS_V2 there are only action rows.',
          ),
        )),
    ...faultUnless(
      !components.every(isRow) || components.length <= limits.legacyRowsMax,
      inside(path, 'components'),
      `There are ${components.length} action rows, more than ${limits.legacyRowsMax}.`,
    ),
  ];
}

/** Our rule: nothing is sent without it, because what is left out notifies everybody. */
function checkAllowedMentions(value: unknown, path: string): readonly BodyFault[] {
  if (value === undefined || value === null)
    return [{ path, message: 'Every message and edit must say whom it may notify.' }];
  const allowed = loose(value);
  return (['users', 'roles'] as const).flatMap((kind) => {
    const ids = list(allowed[kind]);
    const at = inside(path, kind);
    return [
      ...faultUnless(
        ids.length === 0 || !list(allowed.parse).includes(kind),
        inside(path, 'parse'),
        `parse:["${kind}"] and ids in ${kind} exclude each other.`,
      ),
      ...faultUnless(ids.length <= limits.mentionsMax, at, `There are more than ${limits.mentionsMax}.`),
      ...ids.flatMap((id, index) =>
        faultUnless(
          typeof id === 'string' && /^\d{17,20}$/.test(id),
          inside(at, index),
          `${JSON.stringify(id)} is no id.`,
        ),
      ),
      ...repeats(
        ids,
        (id) => id,
        (_, index) => inside(at, index),
        (id) => `${id} is there twice.`,
      ),
    ];
  });
}
