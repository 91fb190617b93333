/** Longest name that providers take. */
const NAME_MAX_CHARS = 64;

/** A tool of a server. */
export interface ServerTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * What models call tools: server and tool with `__` between them, in letters, digits, `_` and `-`, at most 64 characters. Of
 * those that come to the same name all but the first get a number. The same list gives the same names.
 */
export function offeredNames<T extends ServerTool>(tools: readonly T[]): ReadonlyMap<string, T> {
  const named = new Map<string, T>();
  for (const tool of tools) {
    const plain = `${tool.server}__${tool.tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_');
    let name = plain.slice(0, NAME_MAX_CHARS);
    for (let count = 2; named.has(name); count += 1) {
      const ending = `_${count}`;
      name = plain.slice(0, NAME_MAX_CHARS - ending.length) + ending;
    }
    named.set(name, tool);
  }
  return named;
}
