/**
 * Whether some object of a JSON document names a member more than once.
 * Parsers keep the last, others the first: who signs and who reads may each
 * see another document (RFC 8259, 4).
 *
 * @param text well-formed JSON
 * @param value what was parsed from it
 */
export function namesTwice(text: string, value: unknown): boolean {
  // Outside of texts a colon stands behind a name and nowhere else.
  const written = text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
  return written !== membersIn(value)
}

/** Of all objects in it, however deep: a stack of our own, because a body may be nested deeper than calls can be. */
function membersIn(value: unknown): number {
  const waiting = [value]
  let members = 0
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const values = Object.values(next)
    if (!Array.isArray(next)) members += values.length
    for (const inner of values) waiting.push(inner)
  }
  return members
}
