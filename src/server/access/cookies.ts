/** The cookies of a request, by name; the first of each name counts. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}

/**
 * A cookie for our own pages alone, as `set-cookie` has it: no script reads it, and pages of other sites send it only where
 * they lead to ours. Over https its name begins with `__Host-`, so that no other host can set it.
 * @param origin where pages are reached @param maxAgeS 0 = it goes
 */
export function writeCookie(origin: string, name: string, value: string, maxAgeS: number): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(origin, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`;
}

/** The name of such a cookie. */
export function cookieName(origin: string, name: string): string {
  return origin.startsWith('https:') ? `__Host-${name}` : name;
}
