/**
 * The same text in memory of its own. V8 keeps the whole text that a part was
 * cut from: a part that is stored must not keep a header block with a key.
 *
 * @param text one octet per character
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
