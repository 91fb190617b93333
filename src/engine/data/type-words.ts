const words: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
};

/** A type of JSON Schema or zod as people call it: `integer` is "a whole number". */
export function typeInWords(type: string): string {
  return words[type] ?? type;
}
