/** The roles of a process as one word, the same whatever order they were given in: `backend+gateway`. */
export function joinRoles(roles: Iterable<string>): string {
  return [...roles].toSorted().join('+')
}
