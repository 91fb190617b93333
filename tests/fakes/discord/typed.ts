import type { Guild, World } from './world.ts';

/** What somebody typed, as Discord stores it: `@` and a name that it knows, at the beginning of a word, is a mention. */
export function encodeTyped(world: World, guild: Guild | undefined, typed: string): string {
  return typed.replaceAll(/(?<![\w@<])@([\w-]+)/g, (whole, name: string) => {
    const wanted = name.toLowerCase();
    const isCalled = (each: string) => each.toLowerCase() === wanted;
    const user = world.users.values().find((each) => isCalled(each.username) || isCalled(each.name));
    if (user) return `<@${user.id}>`;
    const role = guild?.roles.values().find((each) => each.id !== guild.id && isCalled(each.name));
    return role ? `<@&${role.id}>` : whole;
  });
}
