/**
 * Writes a value in the one form that has one hash: members sorted by name, no
 * blanks (JSON Canonicalization Scheme, RFC 8785). Numbers and strings are
 * written as JSON.stringify does, which the RFC prescribes.
 *
 * @example `{ b: 'x', a: [1] }` is `{"a":[1],"b":"x"}`
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
