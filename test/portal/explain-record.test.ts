import t from 'tap'
import { explainRecord } from '../../src/portal/api/explain-record.ts'
import type { CallRecord } from '../../src/registry/usage/call-records.ts'

const refused: CallRecord = {
  id: 1,
  at: new Date('2026-11-24T21:00:00.000Z'),
  requestId: '7c1a5ad0-6f0c-4e0e-9a4f-3b2a1c0d9e8f',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  keyId: '5cdf9a0b7c2e4d61',
  keyExpiresAt: null,
  keyRevokedAt: null,
  isPageKey: false,
  method: 'GET',
  api: 'xs2a',
  version: '1.7.0',
  operation: null,
  path: null,
  outcome: 'KEY_INVALID',
  detail: null,
  decision: null,
  status: 401,
  limit: null,
  totalMs: 0.3,
  upstreamMs: null,
  drill: null,
}

t.test('a key that ended in the same millisecond as its call is named as the reason', async (t) => {
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

t.test('a limit is described with its window and when that ends', async (t) => {
  const limit = {
    name: 'default',
    scope: 'operation',
    calls: 3,
    remaining: 0,
    windowSeconds: 86_400,
    calendarWindow: null,
    resetsAt: new Date('2026-11-25T00:00Z'),
  } as const
  const call = { ...refused, operation: 'listAccounts', outcome: 'QUOTA_EXCEEDED', limit }
  const during = Date.parse('2026-11-24T21:00:05Z')
  const after = Date.parse('2026-11-25T00:00:00Z')
  t.match(
    explainRecord(call, during),
    'All 3 calls of the day (UTC) to listAccounts were used. The limit resets at 00:00 UTC on 2026-11-25.',
  )
  t.match(explainRecord(call, after), 'The limit reset at 00:00 UTC on 2026-11-25.')
  const admitted = {
    ...call,
    outcome: 'forwarded',
    decision: 'admitted',
    status: 200,
    upstreamMs: 1,
  }
  const allowed = { ...admitted, limit: { ...limit, remaining: 2 } }
  t.match(
    explainRecord(allowed, during),
    'Allowed as call 1 of 3 to listAccounts in the day (UTC) that ends at 00:00 UTC on 2026-11-25',
  )
  t.match(explainRecord(allowed, after), 'that ended at 00:00 UTC on 2026-11-25')
})
