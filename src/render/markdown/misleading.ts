/** What reads as an address: anything with a scheme before it, or a word that is a domain, perhaps with a path. */
const WITH_SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|mailto:)(?:[^\s/?#]*@)?(\[[^\]\s]*\]|[^\s/?#:]*)/iu;
const DOMAIN = /^(?:[^\s/?#]*@)?((?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+)\.?(?:[:/?#]\S*)?$/u;

/** How much of a label is looked at: no domain is longer, and long hostile ones would take long. */
const READ_MAX = 400;

/** Whether a label reads as an address that is not where the link leads, or cannot be read at all. `url` must parse. */
export function isMisleading(label: string, url: string): boolean {
  // Wide letters and invisible characters would be read as the plain ones.
  const read = label
    .slice(0, READ_MAX)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim();
  if (read === '') return true;
  const [, host] = WITH_SCHEME.exec(read) ?? DOMAIN.exec(read) ?? [];
  if (host === undefined) return false;
  return withoutWww(host) !== withoutWww(hostOf(url)) || (read.includes('@') && !url.endsWith(read));
}

function hostOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  return hostname || pathname.slice(pathname.lastIndexOf('@') + 1);
}

function withoutWww(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
