import t from 'tap'
import { tollgate } from '../../test/support/cli.ts'
import { administer, postgresMissing, startPostgres } from '../../test/support/database.ts'
import { productionEnv, storesOf } from '../../test/support/fleet.ts'

t.test('a proof is one entry in the audit log', { skip: postgresMissing() }, async (t) => {
  const postgres = await startPostgres(t)
  const env = { ...productionEnv(), DATABASE_URL: postgres.url }
  const { audit } = await storesOf(t, env)
  const { code, stdout } = await tollgate(env, 'prove', '--window')
  t.match(
    { code, stdout },
    { code: 0, stdout: '0 processes answered: there are no calls to compare.' },
  )
  const entries = await audit.list({ subject: 'counter:all', limit: 10 })
  t.match(entries, [{ action: 'counter.prove', actor: /^operator:/ }])
  t.equal(entries.length, 1)
})

t.test(
  'what a process reported at its end does not count for its successor, as of a container that keeps host name and pid',
  { skip: postgresMissing() },
  async (t) => {
    const postgres = await startPostgres(t)
    const env = { ...productionEnv(), DATABASE_URL: postgres.url }
    await storesOf(t, env)
    await administer(
      postgres.url,
      `with living as (
        insert into processes (id, roles, host, pid, version, started_at, generation, digest, judged)
        select gen_random_uuid(), 'gateway', host, 1, '0.2.0', now() - interval '1 minute', 1, '', 0
        from unnest(array['ending', 'restarted']) as host
      )
      insert into count_samples (process, at, host, pid, share, samples)
      values (gen_random_uuid(), now(), 'ending', 1, 1, '[]'),
        (gen_random_uuid(), now() - interval '1 hour', 'restarted', 1, 1, '[]')`,
    )
    const { code, stdout } = await tollgate(env, 'prove', '--window', '--json')
    t.equal(code, 1)
    t.same(JSON.parse(stdout).silent, [{ host: 'restarted', pid: 1 }])
  },
)
