/**
 * Characters that show nothing, in the places where emoji and some scripts need
 * them: U+FE0F behind a pictograph or within a keycap, a joiner between
 * pictographs, a joiner behind a virama of an Indic script, and a non-joiner
 * between Arabic letters (UTS 51; RFC 5892, A.1 and A.2, our choice for Arabic).
 */
const neededMark = [
  '(?<=\\p{Extended_Pictographic})\\ufe0f',
  '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\ufe0f]?)\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca])[\\u200c\\u200d]',
  '(?<=\\p{Script=Arabic})\\u200c(?=\\p{Script=Arabic})',
].join('|')

/**
 * A character that shows nothing or turns text around, for a regular expression
 * with the flag `u`. A text with one could read as another text (UTR 36, 2.5).
 */
export const hiddenMark = `(?!${neededMark})[\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff9-\\ufffb]`

const hiddenMarks = new RegExp(hiddenMark, 'gu')

/** A text of other people without its {@link hiddenMark hidden marks}. */
export function withoutHiddenMarks(text: string): string {
  return text.replaceAll(hiddenMarks, '')
}
