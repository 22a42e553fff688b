import { sql } from 'kysely'
import t from 'tap'
import { changeMandate } from '../../src/backend/processes/change-at-bank.ts'
import { collect } from '../../src/backend/processes/collect.ts'
import { codeOf, testBank } from '../support/bank.ts'
import {
  anton,
  approvedMandate,
  b2b,
  brueckner,
  core,
  createMandate,
  masav,
  noa,
  statusOf,
  workAtBank,
} from '../support/mandates.ts'
import { decideOnPage, scaBrowser } from '../support/sca-browser.ts'

const terminated = { mandateStatus: 'terminatedByTpp', mandateReasonCode: 'MD17' }
const redirect = {
  'tpp-redirect-uri': 'https://app.tpp.example/return',
  'tpp-nok-redirect-uri': 'https://app.tpp.example/declined',
}
const debtor = { psu: 'brueckner.bau', password: '12345' }

t.test('the end of a mandate by its creditor', async (t) => {
  const bank = await testBank(t)
  const { work, stores } = workAtBank(bank)
  const { sca } = bank.backend
  const remove = (resourceId: string, headers: object = {}) =>
    bank.call({ operation: 'deleteMandate', path: { resourceId }, headers: { ...headers } })
  const authorisations = async (id: string) => {
    const { rows } = await sql<{ purpose: string; status: string }>`
      select purpose, status from bank.authorisations where mandate_id = ${id}
      order by purpose desc, status`.execute(bank.database.connect<unknown>())
    return rows.map(({ purpose, status }) => `${purpose} ${status}`)
  }

  t.test('it ends at once, but for an approved B2B mandate', async (t) => {
    for (const [body, headers] of [
      [masav, noa],
      [core, anton],
    ] as const) {
      const valid = await approvedMandate(bank, body, headers)
      const suspended = await approvedMandate(bank, body, headers)
      await work((of) => changeMandate(of, suspended, 'suspend'))
      for (const id of [valid, suspended]) {
        t.equal((await remove(id)).status, 204)
        t.strictSame(await statusOf(bank, id), terminated)
      }
    }
    const { body: fresh } = await createMandate(bank, b2b, brueckner)
    t.equal((await remove(fresh.mandateResourceId)).status, 204, 'it was never approved')
    t.strictSame(await statusOf(bank, fresh.mandateResourceId), {
      mandateStatus: 'terminatedByTpp',
      mandateReasonCode: 'MD22',
    })
  })

  t.test('the debtor approves the end of a B2B mandate in the app', async (t) => {
    for (const isSuspended of [false, true]) {
      const id = await approvedMandate(bank, b2b, brueckner)
      if (isSuspended) await work((of) => changeMandate(of, id, 'suspend'))
      const status = isSuspended ? 'suspended' : 'valid'
      const answer = await remove(id)
      t.equal(answer.status, 202)
      t.equal(answer.headers['aspsp-sca-approach'], 'DECOUPLED')
      const self = `/v1.0.0/mandates/${id}`
      t.strictSame(answer.body, {
        mandateStatus: status,
        _links: { self: { href: self }, status: { href: `${self}/status` } },
      })
      t.strictSame(await statusOf(bank, id), { mandateStatus: status })
      bank.clock.now += 2000
      t.strictSame(await statusOf(bank, id), terminated)
      t.strictSame(await authorisations(id), ['creation finalised', 'cancellation finalised'])
      t.equal((await remove(id)).status, 204)
    }
  })

  t.test('the debtor approves or refuses it on the page of the bank', async (t) => {
    const id = await approvedMandate(bank, b2b, brueckner)
    const asked = await remove(id, redirect)
    t.equal(asked.headers['aspsp-sca-approach'], 'REDIRECT')
    const link = asked.body._links.scaRedirect.href
    const page = await scaBrowser(sca).signIn(link, debtor)
    t.match(page.body, /Cancel a mandate/)
    t.match(page.body, /Atelier Lumière/)
    const refused = await decideOnPage(sca, link, { decision: 'refuse' }, debtor)
    t.equal(refused.headers['location'], redirect['tpp-nok-redirect-uri'])
    t.strictSame(await statusOf(bank, id), { mandateStatus: 'valid' })
    t.strictSame(await authorisations(id), ['creation finalised', 'cancellation failed'])

    const again = await remove(id, redirect)
    const approved = await decideOnPage(sca, again.body._links.scaRedirect.href, {}, debtor)
    t.equal(approved.headers['location'], redirect['tpp-redirect-uri'])
    t.strictSame(await statusOf(bank, id), terminated)
  })

  t.test('who asks again replaces what was asked before', async (t) => {
    const id = await approvedMandate(bank, b2b, brueckner)
    const first = await remove(id, redirect)
    const second = await remove(id, redirect)
    t.equal(second.status, 202)
    const { pathname } = new URL(first.body._links.scaRedirect.href)
    t.equal((await sca.inject({ url: pathname })).statusCode, 404)
    const declined = await remove(id, { ...redirect, 'tpp-redirect-preferred': 'false' })
    t.equal(declined.headers['aspsp-sca-approach'], 'DECOUPLED')
    t.strictSame(await authorisations(id), [
      'creation finalised',
      'cancellation failed',
      'cancellation failed',
      'cancellation started',
    ])
    const odd = await remove(id, { 'tpp-redirect-preferred': 'true' })
    t.strictSame([odd.status, codeOf(odd)], [400, 'FORMAT_ERROR'])
  })

  t.test(
    'a cancellation that is not approved within a day leaves the mandate unchanged',
    async (t) => {
      const id = await approvedMandate(bank, b2b, brueckner)
      await remove(id, redirect)
      bank.clock.now += 24 * 3_600_000
      t.strictSame(await statusOf(bank, id), { mandateStatus: 'valid' })
      t.strictSame(await authorisations(id), ['creation finalised', 'cancellation failed'])
    },
  )

  t.test('a mandate that ends otherwise leaves nothing to approve', async (t) => {
    const revoked = await approvedMandate(bank, b2b, brueckner)
    await remove(revoked, redirect)
    await work((of) => changeMandate(of, revoked, 'revoke'))
    const collected = await approvedMandate(
      bank,
      { ...b2b, occurrences: { sequenceType: 'OOFF' } },
      brueckner,
    )
    await remove(collected, redirect)
    const amount = { currency: 'EUR', amount: '420.00' }
    await work((of) => collect(of, { id: collected, amount }))
    for (const id of [revoked, collected]) {
      t.strictSame(await authorisations(id), ['creation finalised', 'cancellation failed'])
      const late = await remove(id)
      t.strictSame([late.status, codeOf(late)], [409, 'STATUS_INVALID'])
    }
  })

  t.test('an approval after the last day is too late, regardless of who reads first', async (t) => {
    bank.clock.now = Date.parse('2026-11-25T08:00:00Z')
    const occurrences = { sequenceType: 'RCUR', finalCollectionDate: '2026-11-25' }
    const id = await approvedMandate(bank, { ...b2b, occurrences }, brueckner)
    bank.clock.now = Date.parse('2026-11-25T21:59:59Z')
    t.equal((await remove(id)).status, 202)
    bank.clock.now += 60_000
    t.strictSame(await statusOf(bank, id), {
      mandateStatus: 'expired',
      mandateReasonCode: 'MD20',
    })
    t.strictSame(await authorisations(id), ['creation finalised', 'cancellation failed'])
  })

  t.test('the job stores the answer that no client has read', async (t) => {
    const id = await approvedMandate(bank, b2b, brueckner)
    await remove(id)
    bank.clock.now += 2000
    await workAtBank(bank).clockwork.catchUp(bank.clock.now)
    t.match(await stores.mandates.find(id), { status: 'terminatedByTpp', reason: 'MD17' })
  })
})
