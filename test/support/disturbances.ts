/** What of a statement on a table that older releases use can make their statements fail. */
const disturbing = [
  /\bdrop\b/,
  /\brename\b/,
  /\balter (column )?"?\w+"? (set data )?type\b/,
  /\bset not null\b/,
  /\badd (constraint|check|unique|primary|foreign|exclude)\b/,
  /^create unique\b/,
  /^(update|delete|truncate|merge|do|call|lock|revoke)\b/,
  /^create (or replace )?(constraint )?(trigger|rule|policy)\b/,
]

/**
 * Of the statements of a migration, those after which a process of an older
 * release may fail: what takes away or renames, what demands of rows what an
 * older release does not write, and what changes rows. Tables that the migration
 * itself creates are free. It reads words, not grammar, so it suspects too much
 * rather than too little.
 */
export function disturbances(statements: readonly string[]): string[] {
  const own = new Set<string>()
  return statements.flatMap(partsOf).filter((statement) => {
    const created = /^create table (?:if not exists )?"?([\w.]+)/.exec(statement)?.[1]
    if (created !== undefined) {
      own.add(created)
      return false
    }
    const table = tableOf(statement)
    if (table !== undefined && own.has(table)) return false
    return disturbing.some((pattern) => pattern.test(statement)) || addsRequired(statement)
  })
}

/** Without literals and comments, at semicolons, in lower case. */
function partsOf(text: string): string[] {
  return text
    .replaceAll(/\$\$.*?\$\$|'(?:[^']|'')*'|--[^\n]*/gs, (part) => (part[0] === '-' ? '' : "''"))
    .split(';')
    .map((part) => part.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((part) => part !== '')
}

function tableOf(statement: string): string | undefined {
  return /^(?:alter table (?:if exists )?(?:only )?|update |delete from |truncate (?:table )?|create (?:unique )?index (?:if not exists )?"?\w+"? on )"?([\w.]+)/.exec(
    statement,
  )?.[1]
}

/** Whether an insert must give a value for a new column. */
function addsRequired(statement: string): boolean {
  return (
    statement.startsWith('alter table') &&
    statement
      .split(/, ?(?=add )/)
      .some((part) => /\bnot null\b/.test(part) && !/\b(default|generated)\b/.test(part))
  )
}
