/** Returns `text`, such as a key, with its last character replaced by a different one. */
export function mistyped(text: string): string {
  return text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x')
}
