import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { codeOf, Stop } from './failure.ts';

/** Finds the addresses of a host name; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** IPv6 addresses in use on the internet; whatever lies outside is local, translated or not assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

/**
 * An address as it will be asked: every spelling of an IP address in its usual form, no trailing dot after the
 * name, no fragment. Undefined when it is no address.
 */
export function parseAddress(text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base?.href);
  if (url === null) return undefined;
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

/**
 * Decides whether an address may be asked, and where its host is. The name is looked up exactly once, and the
 * connection must go to one of the addresses returned, or the check would be worth nothing.
 *
 * @throws Stop `address` when refused, `dns` when the name can't be found
 */
export async function guard(
  url: URL,
  allowHosts: readonly string[],
  resolve: Resolve,
): Promise<readonly string[]> {
  refuseForm(url);
  const host = url.hostname;
  const allowed = allowHosts.some((entry) => names(entry, url));
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) {
    if (!allowed && !isPublic(literal)) throw notPublic(url, 'is not a public address of the internet');
    return [literal];
  }
  if (!allowed && /(^|\.)localhost$/.test(host)) throw notPublic(url, 'means the computer Flowbot runs on');

  const addresses = await lookUp(host, resolve);
  // One address that is not public spoils the name: which one a connection takes is up to chance.
  if (!allowed && !addresses.every(isPublic)) throw notPublic(url, 'leads to an address that is not public');
  return addresses;
}

/** What no `allowHosts` can mend. */
function refuseForm(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Stop('address', `Only http and https addresses can be asked, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Stop(
      'address',
      `The address at ${url.host} holds a user name or password; send them in an Authorization header instead.`,
    );
  }
  if (url.hostname.split('.').includes('')) {
    throw new Stop('address', `${url.host} is not a host name: a part between its dots is empty.`);
  }
}

async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host);
  } catch (error) {
    throw new Stop('dns', `The host name ${host} could not be found (${codeOf(error)}).`);
  }
  if (addresses.length === 0 || addresses.some((address) => isIP(address) === 0)) {
    throw new Stop('dns', `The host name ${host} has no address.`);
  }
  return addresses;
}

function notPublic(url: URL, why: string): Stop {
  return new Stop(
    'address',
    `${url.host} ${why}, so it is not asked; if that is meant, name ${url.host} in allowHosts.`,
  );
}

/** Whether an entry of `allowHosts` (`name`, `name:port`, `[::1]:port`, IP) names the host of an address. */
function names(entry: string, url: URL): boolean {
  const bracketed = isIPv6(entry) ? `[${entry}]` : entry;
  const [, name, port] = /^(\[[^\]]+\]|[^:/?#@\\]+)(?::(\d+))?$/.exec(bracketed) ?? [];
  if (name === undefined || parseAddress(`http://${name}`)?.hostname !== url.hostname) return false;
  return port === undefined || port === (url.port || (url.protocol === 'https:' ? '443' : '80'));
}

function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST, 3);
}
