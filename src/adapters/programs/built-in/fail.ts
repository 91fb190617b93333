import { type BuiltIn, complained } from './built-in.ts';

/** Fails, and says its arguments. */
export const fail: BuiltIn = async ({ argv: [, ...args] }) => complained(args.join(' '));
