/** The input of a flow: its schema, its check, and how text becomes one. */
export { type CheckedInput, checkInput, type InputProblem, titleOf } from './input-check.ts';
export { formFields } from './input-form.ts';
export { compileInput } from './input-schema.ts';
export {
  type CoercedText,
  coerceText,
  inputFromText,
  inputFromValues,
  type TextInput,
} from './input-text.ts';
export { writePair } from './pairs.ts';
