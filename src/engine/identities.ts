/** Which accounts belong to one person: each entry holds the addresses of one, and no address is in two entries. */
export type Identities = readonly (readonly string[])[];

/** All addresses of the person behind one, that one first; it alone when nothing is linked to it. */
export function identitiesOf(links: Identities, address: string): readonly string[] {
  const linked = links.find((entry) => entry.includes(address)) ?? [];
  return [...new Set([address, ...linked])];
}
