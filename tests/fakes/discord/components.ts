import { invalidForm } from './errors.ts';
import { componentTypes } from './limits.ts';
import { attachmentWire } from './payloads.ts';
import { componentsIn } from './tree.ts';
import { isWire, textOf, type Wire, wiresOf } from './wire.ts';
import type { Attachment, World } from './world.ts';

/** All components of a message or modal. */
export function allComponents(components: unknown): readonly Wire[] {
  return componentsIn(components).map(({ component }) => component);
}

/** Components as Discord keeps them: each has a number, and files are where they are stored. */
export function keptComponents(
  world: World,
  components: unknown,
  attachments: readonly Attachment[],
): readonly Wire[] {
  const given = new Set(allComponents(components).map(({ id }) => id));
  let last = 0;
  const nextNumber = () => {
    do last += 1;
    while (given.has(last));
    return last;
  };
  const stored = (media: unknown, path: string): Wire => {
    const url = textOf(isWire(media) ? media.url : undefined);
    const name = /^attachment:\/\/(.+)$/.exec(url)?.[1];
    if (name === undefined) return { url, proxy_url: url };
    const attachment = attachments.find(({ filename }) => filename === name);
    if (attachment === undefined) {
      throw invalidForm([
        { path: [path], code: 'UNKNOWN_ATTACHMENT', message: `There is no attachment called ${name}.` },
      ]);
    }
    const { url: at, proxy_url, content_type } = attachmentWire(world, attachment);
    return { url: at, proxy_url, content_type, width: null, height: null, attachment_id: attachment.id };
  };
  const kept = (component: Wire): Wire => ({
    ...component,
    id: typeof component.id === 'number' && component.id > 0 ? component.id : nextNumber(),
    ...(Array.isArray(component.components) && { components: wiresOf(component.components).map(kept) }),
    ...(isWire(component.accessory) && { accessory: kept(component.accessory) }),
    ...(component.type === componentTypes.thumbnail && { media: stored(component.media, 'media') }),
    ...(component.type === componentTypes.mediaGallery && {
      items: wiresOf(component.items).map((item) => ({ ...item, media: stored(item.media, 'items') })),
    }),
    ...(component.type === componentTypes.file && {
      file: stored(component.file, 'file'),
      name: /^attachment:\/\/(.+)$/.exec(textOf(isWire(component.file) ? component.file.url : ''))?.[1],
    }),
  });
  return wiresOf(components).map(kept);
}
