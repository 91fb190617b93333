/** What typed text is, once it is sent. */
export type Typed =
  | { readonly kind: 'message'; readonly text: string; readonly toBot: boolean }
  /** Our command, with what follows its name. */
  | { readonly kind: 'command'; readonly text: string }
  /** A command that nobody here knows. */
  | { readonly kind: 'unknown'; readonly name: string };

/** Reads what was typed. `command` is our command with its slash. */
export function readTyped(typed: string, command: string): Typed {
  const slash = /^\/\S*/.exec(typed)?.[0];
  if (slash !== undefined) {
    if (slash.toLowerCase() !== command.toLowerCase()) return { kind: 'unknown', name: slash };
    return { kind: 'command', text: typed.slice(slash.length).trim() };
  }
  const mention = /^\s*@flowbot(?![\p{L}\p{N}_-])[\s:,]*/iu.exec(typed)?.[0];
  return { kind: 'message', text: typed.slice(mention?.length ?? 0), toBot: mention !== undefined };
}
