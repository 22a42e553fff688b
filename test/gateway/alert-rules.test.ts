import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import t from 'tap'
import { openCertificates } from '../../src/compose/certificates.ts'
import { keepAudit } from '../../src/gateway/operate/keep-audit.ts'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { createProcessMetrics } from '../../src/gateway/operate/process-metrics.ts'
import { createMailMetrics } from '../../src/gateway/portal/mail/mail-metrics.ts'
import { createLifetime } from '../../src/platform/lifetime.ts'
import { createMetricsRegistry } from '../../src/platform/management.ts'
import { createSecurityEvents } from '../../src/platform/security-events.ts'
import { readSettings } from '../../src/platform/settings.ts'
import { withoutRole } from '../support/metrics.ts'

const folder = new URL('../../deploy/prometheus/', import.meta.url)

/** Why the rules cannot be run here; false when they can. With REQUIRE_SERVICES=1 nothing is skipped. */
function promtoolMissing(): string | false {
  if (process.env['REQUIRE_SERVICES'] === '1') return false
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'promtool is not installed'
  }
}

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
    const registry = createMetricsRegistry({ version: '1.0.0', roles: ['gateway'] })
    createGatewayMetrics(registry)
    createProcessMetrics(registry)
    createMailMetrics(registry)
    const log = pino({ level: 'silent' })
    const events = createSecurityEvents({
      ...{ log, metricsRegistry: registry, keep: undefined, now: Date.now },
      recordedAddress: () => undefined,
    })
    const audit = keepAudit({
      stores: {
        audit: { erasePersonal: async () => undefined },
        auditChain: { seal: async () => 0 },
        securityEvents: { prune: async () => undefined },
      },
      ...{ events, metricsRegistry: registry, log },
      ...{ securityEventDays: 90, monotonic: () => performance.now() },
    })
    const lifetime = createLifetime()
    const settings = readSettings({})
    await openCertificates({
      ...{ settings, roles: new Set(), metricsRegistry: registry, log, lifetime },
    })
    t.teardown(() => Promise.all([events.close(), audit.close(), lifetime.close()]))
    const text = withoutRole(await registry.metrics())
    const names = new Set(rules.match(/\b(?:gateway|portal)_\w+(?=[{[)\s])/g))
    // Only a process with workers has it.
    t.ok(names.delete('gateway_workers_replaced_total'))
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
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
  t.ok(alerts.length > 5)
  for (const alert of alerts) {
    const [, section = ''] = runbook.split(`\n### ${alert}\n`)
    t.match(section, /^\n\*\*(?:Page|Ticket)\.\*\* \S/, `${alert}: what it means`)
    t.match(section.split('\n#')[0], /^- \*\*(?:Do|Check and do)\*\*/m, `${alert}: what to do`)
    t.match(rules, `runbook_url: docs/runbook.md#${alert.toLowerCase()}\n`)
    t.match(
      tests,
      new RegExp(`alertname: ${alert}, exp_alerts: \\[\\]`),
      `${alert} may stay silent`,
    )
    t.match(tests, new RegExp(`alertname: ${alert}\\n`), `${alert} fires`)
  }
})
