import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { createRecordedAddress } from '../../src/platform/http/recorded-address.ts'
import {
  createSecurityEvents,
  type KeptSecurityEvent,
  type SecurityEventsOptions,
} from '../../src/platform/log/security-events.ts'
import { until } from '../support/until.ts'

/** A recorder whose lines and rows are visible. */
function recorder(options: Partial<SecurityEventsOptions> & { level?: string } = {}) {
  const lines: Record<string, unknown>[] = []
  const rows: KeptSecurityEvent[] = []
  const registry = new Registry()
  const log = pino(
    { level: options.level ?? 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const events = createSecurityEvents({
    log,
    metricsRegistry: registry,
    recordedAddress: createRecordedAddress('truncated'),
    keep: async (kept) => void rows.push(...kept),
    now: () => 1_000_000,
    writeEveryMs: 10,
    ...options,
  })
  return { events, lines, rows, metrics: () => registry.metrics() }
}

t.test('an address is recorded in full, by its network, or not at all', async (t) => {
  const examples = ['203.0.113.77', '::ffff:203.0.113.77', '2001:db8:12:34:5::1', '2001:db8::1']
  t.same(examples.map(createRecordedAddress('full')), [
    '203.0.113.77',
    '203.0.113.77',
    '2001:db8:12:34:5::1',
    '2001:db8::1',
  ])
  const truncated = createRecordedAddress('truncated')
  const networks = ['203.0.113.0/24', '203.0.113.0/24', '2001:db8:12::/48', '2001:db8:0::/48']
  t.same(examples.map(truncated), networks)
  t.same(networks.map(truncated), networks, 'a network stays what it is')
  t.same(examples.map(createRecordedAddress('off')), [undefined, undefined, undefined, undefined])
})

t.test('an event is a log line, a count and a row, with the same facts', async (t) => {
  const { events, lines, rows, metrics } = recorder()
  events.record({
    event: 'sign-in.refused',
    reason: 'credentials',
    subject: 'developer:1',
    address: '203.0.113.77',
    agent: `Mozilla\n${'x'.repeat(1_000)}`,
    requestId: 'c5f1',
    detail: { origin: 'https://evil.example\r\n' },
  })
  await events.close()
  const facts = {
    event: 'sign-in.refused',
    reason: 'credentials',
    subject: 'developer:1',
    address: '203.0.113.0/24',
    agent: `Mozilla\ufffd${'x'.repeat(192)}`,
    requestId: 'c5f1',
    detail: { origin: 'https://evil.example\ufffd\ufffd' },
  }
  t.match(lines, [{ ...facts, level: 40, msg: 'a sign-in was refused' }])
  t.match(rows, [{ ...facts, at: new Date(1_000_000), actor: null, keyId: null }])
  const text = await metrics()
  t.match(text, 'gateway_security_events_total{event="sign-in.refused",reason="credentials"} 1\n')
  t.match(text, 'gateway_security_events_total{event="audit.broken",reason=""} 0\n')
})

t.test('a level that silences the log does not silence security events', async (t) => {
  const loud = recorder({ level: 'error' })
  loud.events.record({ event: 'sign-in.accepted', actor: 'developer:1' })
  t.match(loud.lines, [{ event: 'sign-in.accepted' }])
  const silent = recorder({ level: 'silent' })
  silent.events.record({ event: 'sign-in.accepted', actor: 'developer:1' })
  t.same(silent.lines, [])
  await Promise.all([loud.events.close(), silent.events.close()])
  t.equal(silent.rows.length, 1)
})

t.test(
  'a flood of one event is counted, cannot fill the log and hides no other event',
  async (t) => {
    let at = 1_000_000
    const { events, lines, rows, metrics } = recorder({ now: () => at })
    for (let sent = 0; sent < 10_000; sent += 1) {
      events.record({ event: 'key.refused', reason: 'unknown' })
    }
    events.record({ event: 'object.foreign', actor: 'developer:1' })
    t.equal(lines.filter(({ event }) => event === 'key.refused').length, 500)
    t.equal(lines.at(-1)?.['event'], 'object.foreign')
    at += 2_000
    for (let sent = 0; sent < 1_000; sent += 1) {
      events.record({ event: 'key.refused', reason: 'unknown' })
    }
    t.equal(lines.filter(({ event }) => event === 'key.refused').length, 600, '50 a second')
    await events.close()
    t.equal(rows.length, 601)
    const text = await metrics()
    t.match(text, 'gateway_security_events_total{event="key.refused",reason="unknown"} 11000\n')
    t.match(text, 'gateway_security_events_lost_total 10400\n')
  },
)

t.test(
  'while the database is away events wait; what does not fit is counted as lost',
  async (t) => {
    let failures = 0
    let isAway = true
    const kept: KeptSecurityEvent[] = []
    let at = 1_000_000
    const { events, metrics } = recorder({
      now: () => at,
      keep: async (rows) => {
        if (isAway) {
          failures += 1
          throw new Error('away')
        }
        kept.push(...rows)
      },
    })
    for (let second = 0; second < 110; second += 1) {
      at += 1_000
      for (let sent = 0; sent < 50; sent += 1) events.record({ event: 'cross-site.refused' })
    }
    events.record({ event: 'object.foreign', actor: 'developer:1' })
    await until('two writes fail', () => failures >= 2)
    isAway = false
    await until('the events are written', () => kept.length >= 5_000)
    await events.close()
    t.equal(kept.length, 5_000)
    t.equal(kept.at(-1)?.event, 'object.foreign', 'the newest are kept')
    t.match(await metrics(), 'gateway_security_events_lost_total 501\n')
  },
)
