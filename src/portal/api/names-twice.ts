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
