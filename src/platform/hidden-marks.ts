/**
 * A character that shows nothing or turns text around, for a regular expression
 * with the flag `u`. A name with one could read as another name (UTR 36, 2.5).
 * Emoji and Persian need three of these characters: they are left out here.
 */
export const hiddenMark =
  '(?![\\u200c\\u200d\\ufe0f])[\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff9-\\ufffb]'

const hiddenMarks = new RegExp(hiddenMark, 'gu')

/** A text of other people without its {@link hiddenMark hidden marks}. */
export function withoutHiddenMarks(text: string): string {
  return text.replaceAll(hiddenMarks, '')
}
