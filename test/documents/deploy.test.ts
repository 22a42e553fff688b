import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { exchangeMs, stopTimes } from '../../src/platform/http/stop-times.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'

const { closeMs } = stopTimes(exchangeMs)

interface Service {
  readonly image?: string
  readonly stop_grace_period?: string
  readonly environment: Readonly<Record<string, string>>
}

t.test(
  'deploy/compose.yaml gives each process of Tollgate time for its drain and its longest call',
  async (t) => {
    const text = readFileSync('deploy/compose.yaml', 'utf8').replaceAll(/\$\{[^}]*\}/g, 'secret')
    // Parse boundary: `docker compose config` checks the shape.
    const { services } = parse(text, { merge: true }) as { services: Record<string, Service> }
    const own = Object.entries(services).filter(([, { image }]) => image === 'tollgate')
    t.ok(own.length > 0)
    for (const [name, { stop_grace_period, environment }] of own) {
      const { DRAIN_SECONDS } = environment
      // With its own database, which DATABASE_URL_FILE names.
      const { drainSeconds } = readSettings({ DATABASE_URL: 'postgres://db/a', DRAIN_SECONDS })
      const seconds = Number(/^(\d+)s$/.exec(stop_grace_period ?? '')?.[1])
      t.ok(seconds * 1_000 > drainSeconds * 1_000 + closeMs, `${name}: ${stop_grace_period}`)
    }
  },
)

t.test('docs/production.md gives the times of a stop as they are', async (t) => {
  const page = readFileSync('docs/production.md', 'utf8')
  const [, exitSeconds, killSeconds] =
    /more than (\d+) s after the drain.*`DRAIN_SECONDS` plus (\d+) s/s.exec(page) ?? []
  t.equal(Number(exitSeconds) * 1_000, closeMs)
  t.ok(Number(killSeconds) > Number(exitSeconds))
})
