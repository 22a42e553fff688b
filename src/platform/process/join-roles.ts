/** Joins the roles of a process in alphabetical order: `backend+gateway`. */
export function joinRoles(roles: Iterable<string>): string {
  return [...roles].toSorted().join('+')
}
