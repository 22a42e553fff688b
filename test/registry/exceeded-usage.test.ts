import t from 'tap'
import type { WindowLength } from '../../src/catalogue/catalogue.ts'
import { usageSpan } from '../../src/cli/plan/usage-span.ts'
import { writeUsage } from '../../src/gateway/operate/usage/usage-writer.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { createExceededUsages } from '../../src/registry/usage/exceeded-usage.ts'
import { testDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { usageCounts } from '../support/usage-counts.ts'

t.test('stored usage is compared with a limit window by window', async (t) => {
  const { database } = await testDatabase(t)
  const stores = await testStores(database)
  const { application } = await testApplication(stores)
  const other = await testApplication(stores)
  const db = database.connect<RegistrySchema>()
  const used = (applicationId: string, at: string, operation: string, admitted: number) =>
    usageCounts({ applicationId, operation, minute: Date.parse(at) / 60_000, admitted })
  await writeUsage(db, [
    // 21:00 UTC is the next day in Berlin, in summer from 22:00 UTC of the day before.
    used(application.id, '2026-07-01T21:10:00Z', 'listAccounts', 6),
    used(application.id, '2026-07-01T21:50:00Z', 'listAccounts', 5),
    used(application.id, '2026-07-01T22:10:00Z', 'listAccounts', 4),
    used(application.id, '2026-07-01T22:11:00Z', 'readAccount', 3),
    used(other.application.id, '2026-07-01T22:10:00Z', 'listAccounts', 9),
  ])
  const exceeded = async (options: {
    readonly calls: number
    readonly windowLength: WindowLength
    readonly scope?: 'operation' | 'plan'
    readonly to?: string
  }) => {
    const { calls, windowLength, scope = 'operation', to = '2026-07-02T00:00:00Z' } = options
    const rows = await createExceededUsages({ db }).exceeded({
      api: 'xs2a',
      version: '1.7.0',
      limit: { calls, windowLength, scope },
      calls: [{ applicationId: application.id, calls }],
      from: new Date('2026-06-02T00:00:00Z'),
      to: new Date(to),
    })
    return rows
      .map(({ operation, windows, calls: refused }) => ({ operation, windows, refused }))
      .sort((a, b) => (a.operation ?? '').localeCompare(b.operation ?? ''))
  }
  const accounts = (windows: number, refused: number) => [
    { operation: 'listAccounts', windows, refused },
  ]

  t.same(await exceeded({ calls: 10, windowLength: 3_600 }), accounts(1, 1), 'hours')
  t.same(await exceeded({ calls: 3, windowLength: 3_600 }), accounts(2, 9), 'two hours')
  t.same(await exceeded({ calls: 11, windowLength: 3_600 }), [], 'a full window refuses nothing')
  t.same(await exceeded({ calls: 10, windowLength: 86_400 }), accounts(1, 5), 'a day of UTC')
  t.same(
    await exceeded({ calls: 10, windowLength: 'P1D@Europe/Berlin' }),
    accounts(1, 1),
    'the calendar day of Berlin ends between the hours',
  )
  t.same(
    await exceeded({ calls: 10, windowLength: 86_400, scope: 'plan' }),
    [{ operation: null, windows: 1, refused: 8 }],
    'all operations together',
  )
  t.same(
    await exceeded({ calls: 5, windowLength: 60 }),
    accounts(1, 1),
    'minutes, as long as they are kept',
  )
  t.same(
    await exceeded({ calls: 5, windowLength: 60, to: '2026-07-10T00:00:00Z' }),
    [],
    'then the least: an hour has room for sixty minutes',
  )
  t.same(
    await exceeded({ calls: 5, windowLength: 1_800, to: '2026-07-10T00:00:00Z' }),
    accounts(1, 1),
    'eleven calls are one more than two half hours admit',
  )
})

t.test('the last 30 days begin with a whole window, as far as usage is stored', async (t) => {
  const spanOf = (length: WindowLength, now: string) => {
    const { from, isCut } = usageSpan(length, Date.parse(now))
    return [from.toISOString(), isCut]
  }
  t.same(spanOf(3_600, '2026-07-31T10:40:00Z'), ['2026-07-01T10:00:00.000Z', false])
  t.same(spanOf('P1D@Europe/Berlin', '2026-07-31T10:40:00Z'), ['2026-06-30T22:00:00.000Z', false])
  t.same(spanOf('P1M@UTC', '2026-08-20T12:00:00Z'), ['2026-07-01T00:00:00.000Z', false])
  t.same(
    spanOf('P1M@UTC', '2026-08-30T12:00:00Z'),
    ['2026-07-02T12:00:00.000Z', true],
    'a month that began before what is stored',
  )
  t.match(spanOf(31_536_000, '2026-11-24T12:00:00Z'), ['2026-09-26T12:00:00.000Z', true])
})
