export type { Delivered } from './delivery.ts';
export type { MethodFault } from './faults.ts';
export type { BotAnswer, SignedMessage } from './http-delivery.ts';
export type { SeenHome } from './interactions.ts';
export type { SlackStandIn, SlackStandInOptions } from './slack-stand-in.ts';
export { createSlackStandIn } from './stand-in.ts';
export type { ApiCall } from './web-api.ts';
export type { MentionEvents, Typing } from './writing.ts';
