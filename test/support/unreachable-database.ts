import { Kysely, PostgresDialect } from 'kysely'

/** A database that no statement reaches. */
export function unreachableDatabase<Schema>(): Kysely<Schema> {
  const pool = () => Promise.reject(new Error('unreachable'))
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}
