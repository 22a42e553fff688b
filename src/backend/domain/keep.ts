/** The members to keep: `true` keeps a member whole; a record selects its members, including in each entry of a list. */
export interface Kept {
  readonly [member: string]: true | Kept
}

/**
 * Copies the named members only. Requests may carry members that the document
 * does not describe; the bank ignores them, and answers must not repeat them.
 */
export function keep(value: unknown, kept: Kept): unknown {
  if (Array.isArray(value)) return value.map((entry) => keep(entry, kept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const rule = Object.hasOwn(kept, name) ? kept[name] : undefined
      if (rule === undefined) return []
      return [[name, rule === true ? member : keep(member, rule)]]
    }),
  )
}
