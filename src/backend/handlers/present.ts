/** Drops members that are null or undefined, because answers omit them. */
export function present<Members extends object>(members: Members): Partial<Members> {
  // Dropping members keeps the types of those that remain.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<Members>
}
