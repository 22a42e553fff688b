import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { createJobMetrics } from '../../src/platform/process/job-metrics.ts'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import type { TopApplications } from '../../src/portal/metrics/top-applications.ts'
import { watchApplications } from '../../src/portal/metrics/watch-applications.ts'

t.test(
  'an application has one name, the newest, and after a failed reading no figures that were true before',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const lifetime = createLifetime()
    t.teardown(() => lifetime.close())
    const caller = { applicationId: 'a', developerEmail: 'eve@bank.example' }
    const counts = { admitted: 95, refused: 5, errors: 0 }
    const limit = { api: 'x', version: '1', operation: null, limitName: 'default', limit: 100 }
    const top: TopApplications = {
      hour: [{ ...caller, ...counts, applicationName: 'before' }],
      day: [{ ...caller, ...counts, applicationName: 'after' }],
      usedUp: [{ ...caller, ...limit, applicationName: 'after', used: 95, resetsAt: new Date(0) }],
    }
    let isAway = false
    const registry = new Registry()
    watchApplications({
      metricsRegistry: registry,
      jobs: createJobMetrics(registry),
      lifetime,
      log: { warn: () => undefined },
      read: async () => {
        if (isAway) throw new Error('the database is away')
        return top
      },
    })
    const series = async () =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => /^gateway_(?:application|quota)/.test(line))
    await turn()
    const shown = await series()
    t.same(
      shown.filter((line) => line.startsWith('gateway_application_info')),
      ['gateway_application_info{application="a",name="after"} 1'],
    )
    t.match(shown.join('\n'), /^gateway_quota_used_ratio\{.*\} 0\.95$/m)
    isAway = true
    mock.timers.tick(60_000)
    await turn()
    t.same(await series(), [])
    isAway = false
    mock.timers.tick(60_000)
    await turn()
    t.same(await series(), shown)
  },
)
