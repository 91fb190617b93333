/**
 * The message of a zod issue, with what to write instead on a line of its own. `flow/issues.ts` takes the two
 * apart again: it is the only way a schema can say how to mend a value.
 */
export function withFix(message: string, fix: string): string {
  return `${message}\n${fix}`;
}
