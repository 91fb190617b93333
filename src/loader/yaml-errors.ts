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
    case 'MISSING_CHAR':
      return missing(error, sign);
    case 'BAD_INDENT':
      return (
        unclosed(error) ??
        syntax(
          'This line begins in another column than those it belongs to.',
          'Indent all keys of one object alike.',
        )
      );
    case 'BLOCK_IN_FLOW':
      return syntax('A second ": " stands in one value.', quoteIt);
    case 'UNEXPECTED_TOKEN':
      return sign === '}' || sign === ']'
        ? syntax(`Nothing is open that this ${sign} could close.`, 'Remove it.')
        : syntax('Something follows where the value before it has ended.', quoteIt);
    case 'BAD_DQ_ESCAPE':
      return syntax(
        'In double quotes a backslash begins an escape, and there is none like this.',
        "Write \\\\ for a backslash, or use '…' around the value.",
      );
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

/** Something is missing: which of several things it is, the reader's own words tell. */
function missing(error: YAMLError, sign: string): Complaint {
  if (sign === '#') return syntax('This # begins a comment, which lasts to the end of the line.', quoteIt);
  const quote = /^Missing closing (["'])/.exec(error.message)?.[1];
  if (quote !== undefined)
    return syntax(`A text that begins with ${quote} does not end.`, `Write ${quote} behind it, too.`);
  return (
    unclosed(error) ??
    syntax('A key stands here without a value.', 'Write ": " behind the key, and its value.')
  );
}

/** A list or object in brackets that does not end where it should have. */
function unclosed({ message }: YAMLError): Complaint | undefined {
  const bracket = / end with a ([\]}])/.exec(message)?.[1];
  if (bracket === undefined) return undefined;
  const opening = bracket === ']' ? '[' : '{';
  return syntax(`What a ${opening} opened before this is not closed.`, `Write ${bracket} where it ends.`);
}

function syntax(message: string, fix?: string): Complaint {
  return { rule: 'syntax', message, ...(fix === undefined ? {} : { fix }) };
}
