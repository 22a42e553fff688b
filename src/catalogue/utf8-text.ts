import { isUtf8 } from 'node:buffer'

/**
 * The text of a file of the configuration, which must be UTF-8. In another
 * encoding, readers of the portal would see U+FFFD in place of its letters.
 *
 * @returns the text, or the first line that is not UTF-8, counted from 1
 */
export function utf8Text(content: Buffer): string | { readonly faultyLine: number } {
  if (isUtf8(content)) return content.toString('utf8')
  let faultyLine = 1
  for (let from = 0; ; faultyLine += 1) {
    const end = content.indexOf('\n', from)
    if (end === -1 || !isUtf8(content.subarray(from, end))) return { faultyLine }
    from = end + 1
  }
}

/** What to say of such a line. */
export const notUtf8 = 'is not UTF-8: save the file with this encoding'
