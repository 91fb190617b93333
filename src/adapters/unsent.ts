const codes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether nothing was sent when the network failed with this code, `ECONNREFUSED`. */
export function isUnsent(code: string | undefined): boolean {
  return code !== undefined && codes.has(code);
}
