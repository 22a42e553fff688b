/** Maximum number of cached spellings. A client that invents names only causes repeated classification. */
const spellingsMax = 1_000

/** Maximum length of a cached name; ordinary field names are shorter. */
const rememberedLengthMax = 64

/**
 * Wraps a function that classifies header field names, in any spelling, with a
 * cache per spelling: calls use the same few dozen names.
 *
 * @param read receives the name in lower case
 */
export function createSpellings<Meaning>(
  read: (folded: string) => Meaning,
): (spelled: string) => Meaning {
  let known = new Map<string, Meaning>()
  return (spelled) => {
    const found = known.get(spelled)
    if (found !== undefined) return found
    const made = read(spelled.toLowerCase())
    if (spelled.length > rememberedLengthMax) return made
    if (known.size >= spellingsMax) known = new Map()
    known.set(spelled, made)
    return made
  }
}
