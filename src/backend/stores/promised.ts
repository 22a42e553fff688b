/** Returns a row that a foreign key guarantees. Rows are never deleted, so a missing one is a bug. */
export function promised<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a row that another one refers to is missing')
  return row
}
