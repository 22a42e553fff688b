import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { createTestAuthority } from '../support/certificates.ts'
import { postgresMissing, startPostgres } from '../support/database.ts'

t.test(
  'a PostgreSQL is believed by its certificate only, in every mode',
  { skip: postgresMissing() },
  async (t) => {
    const authority = createTestAuthority(t)
    const server = await startPostgres(t, { tls: authority.issue() })
    async function connects(parameters: string, host = '127.0.0.1'): Promise<boolean | string> {
      const url = `${server.url.replace('127.0.0.1', host)}?${parameters}`
      const database = openDatabase({ url, log: createLog('silent') })
      try {
        const { rows } = await sql<{ ssl: boolean }>`
          select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database.connect())
        return rows[0]?.ssl === true
      } catch (error) {
        return String(error instanceof Error && 'code' in error ? error.code : error)
      } finally {
        await database.close()
      }
    }
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      t.match(await connects(`sslmode=${mode}`), /^(UNABLE|SELF_SIGNED)/, mode)
      t.equal(await connects(`sslmode=${mode}&sslrootcert=${authority.caFile}`), true, mode)
    }
    const trusted = `sslmode=verify-full&sslrootcert=${authority.caFile}`
    t.equal(await connects(trusted, '[::ffff:127.0.0.1]'), 'ERR_TLS_CERT_ALTNAME_INVALID')
    t.equal(await connects('sslmode=disable'), false)
  },
)

t.test('parameters that verify less are refused, and messages keep the password', async (t) => {
  for (const query of [
    'sslmode=no-verify',
    'sslmode=allow',
    'ssl=true',
    'uselibpqcompat=true&sslmode=require',
    'sslmode=verify-full&sslcert=/tls.crt',
    'sslrootcert=/missing/ca.pem',
  ]) {
    const env = { DATABASE_URL: `postgres://a:secret@db/tollgate?${query}` }
    t.throws(() => readSettings(env), { message: /^ {2}DATABASE_URL: (?!.*secret)/m }, query)
  }
  t.throws(() => readSettings({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), {
    message: /^ {2}NODE_TLS_REJECT_UNAUTHORIZED: /m,
  })
})

t.test('every secret may come from a file, URLs included', async (t) => {
  const folder = t.testdir()
  const values: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://a:secret@db/tollgate',
    REDIS_URL: 'redis://:secret@redis:6379/0',
    SMTP_URL: 'smtps://a:secret@mail:465',
    MANAGEMENT_TOKEN: 'a-token-of-thirty-two-characters',
  }
  const files = Object.entries(values).map(([name, value]) => {
    const path = join(folder, name)
    writeFileSync(path, `${value}\n`)
    return [`${name}_FILE`, path]
  })
  const env = Object.fromEntries(files)
  const { databaseUrl, redis, smtpUrl, managementToken, drainSeconds } = readSettings(env)
  t.match(
    { databaseUrl, redis, smtpUrl, managementToken },
    {
      databaseUrl: values['DATABASE_URL'],
      redis: { password: 'secret' },
      smtpUrl: values['SMTP_URL'],
      managementToken: values['MANAGEMENT_TOKEN'],
    },
  )
  t.equal(drainSeconds, 5, 'a database by file is no embedded one')
  t.throws(() => readSettings({ ...env, ...values }), {
    message: /both REDIS_URL and REDIS_URL_FILE/,
  })
  writeFileSync(join(folder, 'REDIS_URL'), '')
  t.throws(() => readSettings(env), { message: /REDIS_URL_FILE: .* is empty/ })
})
