/** Spellings remembered; a stranger who makes up names only makes us read them anew. */
const spellingsMax = 1_000

/** Characters of a name that is remembered; longer ones only a stranger makes up. */
const rememberedLengthMax = 64

/**
 * Makes a function that says what a header field's name means, however it is
 * spelled: read once for each spelling, because every call brings the same few
 * dozen.
 *
 * @param read is given the name in lower case
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
