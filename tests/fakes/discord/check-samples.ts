/** Says nothing to anybody. */
export const quiet = { parse: [], users: [], roles: [], replied_user: false };

/** IS_COMPONENTS_V2 */
export const v2 = 1 << 15;

/** A message that is fine, but for what is given. */
export const message = (more: object = {}) => ({
  flags: v2 | (1 << 2),
  allowed_mentions: quiet,
  components: [text('Hello')],
  ...more,
});

export const text = (content: string, more: object = {}) => ({ type: 10, content, ...more });

export const row = (...components: object[]) => ({ type: 1, components });

export const button = (custom_id: string, more: object = {}) => ({
  type: 2,
  style: 1,
  custom_id,
  label: 'Go',
  ...more,
});

export const select = (options: readonly object[], more: object = {}) => ({
  type: 3,
  custom_id: 's',
  options,
  ...more,
});

export const option = (value: string, more: object = {}) => ({ label: 'One', value, ...more });

/** So many, each by its number from 0. */
export const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
