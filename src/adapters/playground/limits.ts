/** The playground's limits, in UTF-16 units where they measure text. What exceeds them is refused, never cut. */
export const limits = {
  /** Markdown of one message. */
  text: 4000,
  /** What a person types. */
  typed: 4000,
  buttons: 25,
  buttonLabel: 75,
  buttonId: 100,
  notify: 50,
  formId: 100,
  formTitle: 45,
  formSubmitLabel: 45,
  formFields: 25,
  fieldId: 100,
  fieldLabel: 45,
  fieldHint: 150,
  fieldOptions: 100,
  fieldOption: 100,
  /** Files of one field. */
  fieldFiles: 10,
  /** Bytes of a file that somebody sends. */
  uploadBytes: 20 * 1024 * 1024,
  fileName: 255,
  fileType: 255,
  /** One value of a submitted form. */
  value: 4000,
} as const;
