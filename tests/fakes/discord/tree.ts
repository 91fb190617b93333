import { componentTypes } from './limits.ts';

/** Something with properties that nobody has looked at yet. */
export type Loose = Readonly<Record<string, unknown>>;

/** Anything as something with properties; without any when it has none. */
export function loose(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Anything as a list; empty when it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A component of a message or modal, and where it stands. */
export interface Placed {
  /** `components.0.accessory` */
  readonly path: string;
  readonly component: Loose;
}

/** Components and those inside them, in the order in which people see them. */
export function componentsIn(components: unknown, path = 'components'): readonly Placed[] {
  return list(components).flatMap((each, index) => withInner(loose(each), `${path}.${index}`));
}

function withInner(component: Loose, path: string): readonly Placed[] {
  const single = ['component', 'accessory'].flatMap((key) =>
    component[key] === undefined ? [] : withInner(loose(component[key]), `${path}.${key}`),
  );
  return [{ path, component }, ...componentsIn(component.components, `${path}.components`), ...single];
}

/** The texts of a message that people read: its content and text displays, in order. */
export function textsOf(message: {
  readonly content?: unknown;
  readonly components?: unknown;
}): readonly string[] {
  const displays = componentsIn(message.components).filter(
    ({ component }) => component.type === componentTypes.textDisplay,
  );
  return [message.content, ...displays.map(({ component }) => component.content)].filter(
    (text) => typeof text === 'string',
  );
}
