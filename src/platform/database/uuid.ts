/** Whether a text can be the id of a row: a UUID in lower case. PostgreSQL would reject the comparison with other texts. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
