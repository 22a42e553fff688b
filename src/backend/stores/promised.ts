/** A row that a foreign key promises; nothing is ever deleted, so its absence is a mistake in the code. */
export function promised<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('a row that another one refers to is missing')
  return row
}
