import t from 'tap'
import { explainRecord } from '../../src/gateway/portal/explain-record.ts'
import type { CallRecord } from '../../src/gateway/registry/call-records.ts'

const refused: CallRecord = {
  id: 1,
  at: new Date('2026-11-24T21:00:00.000Z'),
  requestId: '7c1a5ad0-6f0c-4e0e-9a4f-3b2a1c0d9e8f',
  traceId: null,
  keyId: '5cdf9a0b7c2e4d61',
  keyExpiresAt: null,
  keyRevokedAt: null,
  method: 'GET',
  api: 'xs2a',
  version: '1.7.0',
  operation: null,
  outcome: 'KEY_INVALID',
  detail: null,
  decision: null,
  status: 401,
  limit: null,
  totalMs: 0.3,
  upstreamMs: null,
  drill: null,
}

t.test('a key that ended in the very millisecond of its call is named as the reason', async (t) => {
  const inThatMillisecond = new Date('2026-11-24T21:00:00.001Z')
  const explain = (ended: Partial<CallRecord>) =>
    explainRecord({ ...refused, ...ended }, Date.parse('2026-11-24T21:00:05Z'))
  t.match(explain({ keyExpiresAt: inThatMillisecond }), 'The API key expired at 21:00')
  t.match(explain({ keyRevokedAt: inThatMillisecond }), 'The API key was revoked at 21:00')
  t.match(
    explain({ keyExpiresAt: new Date('2026-11-24T21:01:00Z') }),
    'The API key was no longer valid',
    'an end after the call is not its reason',
  )
})

t.test('a drill is explained as one, and a refused drill by its refusal', async (t) => {
  const explain = (ended: Partial<CallRecord>) =>
    explainRecord({ ...refused, ...ended }, Date.parse('2026-11-24T21:00:05Z'))
  t.match(explain({ drill: '429' }), 'A drill: the call asked for this response')
  const detail = 'You have made 60 drills within a minute.'
  t.equal(
    explain({ drill: 'refused', outcome: 'ATTEMPTS_EXCEEDED', detail }),
    `${detail} This call does not count against your limit.`,
  )
})
