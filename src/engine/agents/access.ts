/** Whether an agent may call a tool: by itself, only when people allow the call, or never. */
export type Permission = 'allow' | 'ask' | 'deny';

/** Which tools of MCP servers an agent may call. A server that is not named is closed to it. */
export type Access = ReadonlyMap<string, ServerAccess>;

/** Which tools of one server. */
export interface ServerAccess {
  /** Only tools that say they change nothing. */
  readonly readOnly: boolean;
  /** By name. */
  readonly tools: ReadonlyMap<string, Permission>;
  /** Of those that are not named: `deny`. */
  readonly others: Permission;
}

/** Agents that may call nothing. */
export const NO_ACCESS: Access = new Map();

/** Whether an agent may call a tool. @param isReadOnly whether the tool says that it changes nothing */
export function permissionFor(access: Access, server: string, tool: string, isReadOnly: boolean): Permission {
  const there = access.get(server);
  if (!there || (there.readOnly && !isReadOnly)) return 'deny';
  return there.tools.get(tool) ?? there.others;
}

const STRICTNESS: Readonly<Record<Permission, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two permissions. */
export function stricterOf(one: Permission, other: Permission): Permission {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other;
}
