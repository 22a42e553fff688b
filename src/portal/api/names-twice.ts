/**
 * Whether some object of a JSON document names a member more than once.
 * Some parsers keep the last value, others the first, so the signer and the
 * reader could see different documents (RFC 8259, 4).
 *
 * @param text well-formed JSON
 * @param value what was parsed from it
 */
export function namesTwice(text: string, value: unknown): boolean {
  // Outside strings, a colon only follows a name.
  const written = text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
  return written !== membersIn(value)
}

/**
 * Counts the members of all objects in a value. Uses its own stack, because a body can be nested deeper than function calls.
 */
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
