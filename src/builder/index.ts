// What modules that hold flows import.
export { type FlowData, type FlowWritten, flow } from './flow.ts';
export type { StepKeys } from './written.ts';
