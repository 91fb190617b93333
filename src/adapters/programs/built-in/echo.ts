import { type BuiltIn, printed } from './built-in.ts';

/** Prints its arguments with spaces between them; without any, what it reads from its standard input. */
export const echo: BuiltIn = async ({ argv: [, ...args], stdin }) =>
  printed(args.length === 0 ? stdin : args.join(' '));
