import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createMailMetrics } from '../../src/portal/mail/mail-metrics.ts'
import { createPortalMetrics } from '../../src/portal/metrics/portal-metrics.ts'
import { gatewayRegistry, promtoolMissing, withoutRole } from '../support/metrics.ts'

const folder = new URL('../../deploy/prometheus/', import.meta.url)

t.test(
  'the alert rules fire when they should, and not when they should not',
  { skip: promtoolMissing() },
  async (t) => {
    const options = { cwd: folder, encoding: 'utf8' } as const
    t.match(execFileSync('promtool', ['check', 'rules', 'tollgate.rules.yaml'], options), /SUCCESS/)
    t.match(
      execFileSync('promtool', ['test', 'rules', 'tollgate.rules.test.yaml'], options),
      /SUCCESS/,
    )
  },
)

t.test(
  'every metric an alert looks at is there from the start, where its first event can be seen as growth',
  async (t) => {
    const rules = readFileSync(new URL('tollgate.rules.yaml', folder), 'utf8')
    const { registry } = await gatewayRegistry(t)
    createMailMetrics(registry)
    createPortalMetrics(registry)
    const text = withoutRole(await registry.metrics())
    const names = new Set(rules.match(/\b(?:gateway|portal)_\w+(?=[{[)\s])/g))
    // Gauges that a portal reads from the database; proofs/long/prometheus.test.ts sees them.
    for (const name of ['mails_oldest_seconds', 'webhooks_oldest_seconds']) {
      t.ok(names.delete(`portal_${name}`))
    }
    t.ok(names.delete('gateway_quota_used_ratio'))
    t.ok(names.size >= 8, [...names].join(' '))
    for (const name of names) {
      const family = name.replace(/_(?:bucket|count)$/, '')
      t.match(text, new RegExp(`^# TYPE ${family} `, 'm'), name)
    }
    for (const series of [
      'gateway_config_reloads_total{result="failure"} 0',
      'gateway_limit_store_switches_total{to="local",cause="silent"} 0',
      'gateway_call_records_lost_total{reason="unwritten"} 0',
      'portal_mails_total{result="given-up"} 0',
      'gateway_security_events_total{event="audit.broken",reason=""} 0',
      'gateway_security_events_total{event="key.refused",reason="revoked"} 0',
    ]) {
      t.ok(text.includes(`\n${series}\n`), series)
    }
  },
)

t.test('every alert is explained, and tested', async (t) => {
  const rules = readFileSync(new URL('tollgate.rules.yaml', folder), 'utf8')
  const tests = readFileSync(new URL('tollgate.rules.test.yaml', folder), 'utf8')
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
  const [, pages = '', tickets = ''] =
    /^## Alerts that page\n(.*)^## Tickets\n(.*?)^## /ms.exec(runbook) ?? []
  const alerts = [...rules.matchAll(/- alert: (\w+)\n.*?severity: (page|ticket) }/gs)]
  t.equal(alerts.length, rules.match(/- alert: /g)?.length)
  for (const [, alert = '', severity] of alerts) {
    const [, rest = ''] = runbook.split(`\n### ${alert}\n`)
    const [section = ''] = rest.split('\n#')
    const isPage = severity === 'page'
    t.match(
      section,
      isPage ? /^\n\*\*Page\.\*\* \S/ : /^\n\*\*Ticket\.\*\* \S/,
      `${alert}: what it means`,
    )
    t.match(
      isPage ? pages : tickets,
      `[${alert}](#${alert.toLowerCase()})`,
      `${alert}: in the index`,
    )
    if (isPage) t.match(section, /```sh\n|^- \*\*Check.*(?:`curl|as for)/m, `${alert}: a command`)
    t.match(section, /^- \*\*(?:Do|Check and do)\*\*/m, `${alert}: what to do`)
    t.match(
      rules,
      `runbook_url: '{{ or $externalLabels.runbook "docs/runbook.md" }}#${alert.toLowerCase()}'\n`,
    )
    t.match(
      tests,
      new RegExp(`alertname: ${alert}, exp_alerts: \\[\\]`),
      `${alert} may stay silent`,
    )
    t.match(tests, new RegExp(`alertname: ${alert}\\n`), `${alert} fires`)
  }
})
