/** What plugins import. */
export { z } from 'zod';
export { type DefinedStep, defineStep, type StepDescription, type StepReturn } from './define-step.ts';
export { data, template } from './fields.ts';
