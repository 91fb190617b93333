export type { DiscordStandIn, DiscordStandInOptions } from './discord-stand-in.ts';
export type { RequestFault } from './faults.ts';
export type { ApiCall } from './rest.ts';
export { createDiscordStandIn } from './stand-in.ts';
