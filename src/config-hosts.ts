/** Whether a host, as an address or as it stands in a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/** What is wrong with the address of an API. @param example a right one */
export function addressFaults(
  setting: string,
  written: string | undefined,
  example: string,
): readonly string[] {
  if (written === undefined) return [];
  const url = URL.parse(written);
  // Paths of the API are put behind it.
  const isBase = url !== null && !/[?#]/.test(written);
  if (isBase && url.protocol === 'https:') return [];
  if (!isBase || url.protocol !== 'http:') return [`${setting} must be an address such as ${example}.`];
  if (isLoopback(url.hostname)) return [];
  return [
    `${setting} must begin with https://, or every token would go to ${url.hostname} in clear; http:// is for this machine only.`,
  ];
}
