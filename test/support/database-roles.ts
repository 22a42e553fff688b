import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../deploy/postgres/roles.sql', import.meta.url))

/** The database roles of deploy/postgres/roles.sql, without `tollgate_`. */
export const databaseRoles = ['owner', 'gateway', 'portal', 'bank', 'serving'] as const

export type DatabaseRole = (typeof databaseRoles)[number]

/**
 * Runs deploy/postgres/roles.sql as its first lines say.
 *
 * @param url of a superuser
 */
export function createDatabaseRoles(url: string, passwordOf: (role: DatabaseRole) => string): void {
  const passwords = databaseRoles.map((role) => [
    `${role.toUpperCase()}_PASSWORD`,
    passwordOf(role),
  ])
  execFileSync('psql', ['-q', '-f', script, url], {
    env: { ...process.env, ...Object.fromEntries(passwords) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
