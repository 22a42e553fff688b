/** The entries of a text field that holds a list: separated by spaces, commas or new lines. */
export function entriesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '')
}
