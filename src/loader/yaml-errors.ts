import type { YAMLError } from 'yaml';

/** What is wrong with a text and what to write instead. */
export interface Complaint {
  readonly rule: string;
  readonly message: string;
  readonly fix?: string;
}

const quoteIt = 'Put the whole value in quotes.';

/** An error of the YAML reader in words for people who write flows. */
export function explain(error: YAMLError, text: string): Complaint {
  const sign = text.charAt(error.pos[0]);
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return syntax('A tab stands where only spaces can indent.', 'Use spaces.');
    case 'MULTIPLE_DOCS':
      return syntax(
        'The file holds more than one document.',
        'Keep one flow in a file, without "---" between.',
      );
    case 'RESOURCE_EXHAUSTION':
      return {
        rule: 'too-deep',
        message: 'The file is nested too deep to be read.',
        fix: 'Use fewer levels.',
      };
    case 'BAD_ALIAS':
      return syntax('A value that begins with * is read as an alias.', quoteIt);
    case 'BAD_SCALAR_START':
      return syntax(`A value can't begin with ${sign}.`, quoteIt);
    case 'BLOCK_AS_IMPLICIT_KEY':
      return syntax('A second ": " stands in one line.', quoteIt);
    case 'NON_STRING_KEY':
      return text.charAt(error.pos[0] - 1) === '{' && sign === '{'
        ? syntax('A value that begins with {{ is read as an object.', quoteIt)
        : syntax('A key must be text.', 'Put it in quotes.');
    case 'TAG_RESOLVE_FAILED':
      return { rule: 'tag', message: 'Tags (!name) are not read.', fix: 'Remove the tag.' };
    default:
      return syntax(`${error.message.split('\n')[0]}.`);
  }
}

function syntax(message: string, fix?: string): Complaint {
  return { rule: 'syntax', message, ...(fix === undefined ? {} : { fix }) };
}
