/** What programs need to find other programs, their settings, and a place for temporary files. */
const allowed = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'] as const;

/** The little of an environment that every program gets: never a token or another secret. */
export function programEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    allowed.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
