/** Longest text that is looked at, in UTF-16 units, and most words of it: what is longer is a discussion. */
const textMaxChars = 120;
const wordsMax = 8;

/** What people write when they mean to answer, in lower case and without punctuation. */
const answers: ReadonlySet<string> = new Set(
  [
    'approve, approved, approving, approval, i approve, accept, accepted, lgtm, looks good, looks good to me, look good',
    'looks fine, looks great, looks ok, looks okay, sounds good, all good, good to go, go, go ahead, go for it, do it',
    'ship it, shipit, merge it, yes, yep, yeah, yup, y, aye, sure, of course, ok, okay, k, kk, agree, agreed, i agree',
    'confirm, confirmed, i confirm, fine, fine by me, fine with me, thumbs up, granted, proceed, +1',
    'reject, rejected, rejecting, i reject, no, nope, nah, n, deny, denied, decline, declined, refuse, refused, veto',
    'not approved, disapproved, do not approve, no go, thumbs down, -1',
    'genehmigt, genehmige, ich genehmige, ist genehmigt, freigegeben, ist freigegeben, freigabe, freigabe erteilt',
    'gebe ich frei, ich gebe frei, passt, passt so, das passt, ja, jo, jep, jup, jawohl, ja gerne, gerne',
    'einverstanden, zugestimmt, stimme zu, ich stimme zu, in ordnung, geht klar, alles klar, alles gut',
    'sieht gut aus, bestätigt, angenommen, nein, nö, nee, abgelehnt, ist abgelehnt, lehne ab, ich lehne ab',
    'lehne ich ab, nicht genehmigt, nicht freigegeben, nicht einverstanden, verweigert, abgewiesen',
    ':+1:, :thumbsup:, :thumbs_up:, :-1:, :thumbsdown:, :thumbs_down:, :white_check_mark:, :heavy_check_mark:',
    ':ballot_box_with_check:, :ok:, :ok_hand:, :x:, :negative_squared_cross_mark:, :shipit:, :approved:, :lgtm:',
    ':no_entry:, :no_entry_sign:, :yes:, :no:, 👍, 👎, ✅, ✔, ☑, 👌, 🆗, ❌, ❎, ✖, ⛔, 🚫, 🙅, 🙆',
  ]
    .join(', ')
    .split(', '),
);
/** Words of the longest answer or addition. */
const phraseMaxWords = 4;

/** What people add to an answer. */
const additions: ReadonlySet<string> = new Set(
  [
    'please, pls, plz, thanks, thank you, many thanks, thx, ty, it, this, that, this one, from me, from my side, for me',
    'by me, with me, team, all, everyone, everybody, folks, bot, flowbot',
    'bitte, danke, vielen dank, es, das, so, von mir, von meiner seite, für mich, von uns, team, alle, meinerseits',
  ]
    .join(', ')
    .split(', '),
);

/** Mentions as platforms write them, `<@U0ANA>`; and as people read them, at the end perhaps with names of several words. */
const mention = /<[@#!][^<>]*>|@\p{L}[\p{L}\p{N}._-]*(?:(?: \p{Lu}[\p{L}\p{N}._-]*){1,2}[\s.!,]*$)?/gu;
const skinTone = /:skin-tone-\d:/g;
/** Emoji of a server: `<:approved:123456789012345678>`. */
const serverEmoji = /<a?(:\w+:)\d+>/g;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const wordPattern =
  /:[\w+-]+:|(?<![\p{L}\p{N}+-])[+-]1(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*|\p{Extended_Pictographic}/gu;

/**
 * Whether a message is nothing but what people write to answer a question: `approved`, `LGTM 👍`, `nein, danke`. Longer
 * messages are a discussion even if such words are in them, and what ends with a question mark is a question. Chat text
 * answers nothing: whoever writes so is told where the button is.
 */
export function looksLikeAnswer(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > textMaxChars || /[?？¿]/.test(trimmed)) return false;
  const plain = trimmed
    .replace(serverEmoji, '$1')
    .replace(mention, ' ')
    .normalize('NFKC')
    .replace(unseen, '')
    .toLowerCase()
    .replace(skinTone, '');
  const words = plain.match(wordPattern) ?? [];
  return words.length <= wordsMax && isAnswer(words);
}

/** Whether words are answers and additions, with at least one answer among them. */
function isAnswer(words: readonly string[]): boolean {
  let at = 0;
  let answered = false;
  while (at < words.length) {
    const isKnown = (length: number): boolean => {
      const phrase = words.slice(at, at + length).join(' ');
      return answers.has(phrase) || additions.has(phrase) || (length === 1 && isPicture(phrase));
    };
    const length = lengths.find((one) => at + one <= words.length && isKnown(one));
    if (length === undefined) return false;
    answered ||= answers.has(words.slice(at, at + length).join(' '));
    at += length;
  }
  return answered;
}

/** The longest phrase counts: `not approved`, and not `approved`. */
const lengths = Array.from({ length: phraseMaxWords }, (_, index) => phraseMaxWords - index);

/** An emoji that decorates: `approved 🎉`. */
function isPicture(word: string): boolean {
  return /^(?::[\w+-]+:|\p{Extended_Pictographic})$/u.test(word);
}
