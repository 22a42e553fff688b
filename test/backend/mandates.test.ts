import { randomUUID } from 'node:crypto'
import t from 'tap'
import { codeOf, testBank } from '../support/bank.ts'

const request = {
  mandateId: 'GWW-2026-004411',
  type: { localInstrumentCode: 'MASAV', categoryPurposeCode: 'OTHR' },
  occurrences: {
    sequenceType: 'RCUR',
    frequencyType: 'Monthly',
    firstCollectionDate: '2026-12-10',
    finalCollectionDate: '2028-12-10',
  },
  maximumAmount: { currency: 'ILS', amount: '900.00' },
  creditor: {
    name: 'Galil Water Works',
    identification: { organisationId: { others: [{ identification: '30417' }] } },
  },
  debtor: { name: 'Noa Levi' },
  debtorAccount: { iban: 'IL030205710000000200285' },
}

t.test('mandates', async (t) => {
  const bank = await testBank(t)
  const create = (change: object = {}, headers: object = { 'psu-id': '305567661' }) =>
    bank.call({
      operation: 'createMandate',
      headers: { ...headers },
      body: { ...request, mandateId: randomUUID().slice(0, 30), ...change },
    })

  t.test('a mandate is made, approved in the app, read and ended', async (t) => {
    const created = await create({ mandateId: request.mandateId })
    t.equal(created.status, 201)
    t.equal(created.headers['aspsp-sca-approach'], 'DECOUPLED')
    const { mandateResourceId: resourceId } = created.body
    const self = `/v1.0.0/mandates/${resourceId}`
    t.equal(created.headers['location'], self)
    t.strictSame(
      created.body._links,
      { self: { href: self }, status: { href: `${self}/status` } },
      'there is no authorisation to read or update',
    )
    const path = { resourceId }
    const status = async () => (await bank.call({ operation: 'getMandateStatus', path })).body
    t.strictSame(await status(), { mandateStatus: 'received' })
    bank.clock.now += 2000
    t.strictSame(await status(), { mandateStatus: 'valid' })
    const { body: read } = await bank.call({ operation: 'getMandate', path })
    t.strictSame(read, {
      creditorAccount: { other: { identification: '30417' } },
      ...request,
      mandateStatus: 'valid',
      lastActionDate: '2026-11-20',
    })
    const remove = () => bank.call({ operation: 'deleteMandate', path })
    t.equal((await remove()).status, 204)
    t.equal((await remove()).status, 204)
    t.strictSame(await status(), { mandateStatus: 'terminatedByTpp', mandateReasonCode: 'MD17' })
  })

  t.test('with an address to return to, the debtor approves on the page of the bank', async (t) => {
    const created = await create({}, { 'tpp-redirect-uri': 'https://app.tpp.example/return' })
    t.equal(created.headers['aspsp-sca-approach'], 'REDIRECT')
    t.match(created.body._links.scaRedirect.href, /^http:\/\/sca\.bank\.test\/authorise\//)
  })

  t.test('a refused mandate is rejected, an unapproved one ends when it is deleted', async (t) => {
    const refused = await create(
      { debtorAccount: { iban: 'IL510205710000000778899' } },
      { 'psu-id': 'PSU-Rejected' },
    )
    bank.clock.now += 2000
    const path = { resourceId: refused.body.mandateResourceId }
    const { body } = await bank.call({ operation: 'getMandateStatus', path })
    t.strictSame(body, { mandateStatus: 'rejected', mandateReasonCode: 'MD13' })
    const late = await bank.call({ operation: 'deleteMandate', path })
    t.strictSame([late.status, codeOf(late)], [409, 'STATUS_INVALID'])

    const fresh = await create()
    const freshPath = { resourceId: fresh.body.mandateResourceId }
    await bank.call({ operation: 'deleteMandate', path: freshPath })
    bank.clock.now += 2000
    const ended = await bank.call({ operation: 'getMandateStatus', path: freshPath })
    t.strictSame(ended.body, { mandateStatus: 'terminatedByTpp', mandateReasonCode: 'MD22' })
  })

  t.test('a mandate expires after its last collection', async (t) => {
    const created = await create({
      occurrences: { sequenceType: 'RCUR', finalCollectionDate: '2026-11-21' },
    })
    const path = { resourceId: created.body.mandateResourceId }
    bank.clock.now += 2000
    const status = async () => (await bank.call({ operation: 'getMandateStatus', path })).body
    t.equal((await status()).mandateStatus, 'valid')
    bank.clock.now += 2 * 24 * 3_600_000
    t.strictSame(await status(), { mandateStatus: 'expired', mandateReasonCode: 'MD20' })
  })

  t.test('an open mandate keeps its reference; an ended one frees it', async (t) => {
    const mandateId = 'ONE-of-a-kind'
    const first = await create({ mandateId })
    const second = await create({ mandateId: mandateId.toUpperCase() })
    t.strictSame([second.status, codeOf(second)], [409, 'STATUS_INVALID'])
    const path = { resourceId: first.body.mandateResourceId }
    await bank.call({ operation: 'deleteMandate', path })
    t.equal((await create({ mandateId })).status, 201)
  })

  t.test(
    'a mandate that time has ended frees its reference, though nobody has looked',
    async (t) => {
      const mandateId = 'ENDS-by-itself'
      const occurrences = { sequenceType: 'RCUR', finalCollectionDate: '2026-11-25' }
      await create({ mandateId, occurrences })
      bank.clock.now = Date.parse('2026-11-25T21:59:59Z')
      const change = { mandateId, occurrences: { sequenceType: 'RCUR' } }
      t.equal((await create(change)).status, 409, 'on its last day')
      bank.clock.now += 1000
      t.equal((await create(change)).status, 201, 'on the next')
      bank.clock.now += 24 * 3_600_000
      const again = await create(change)
      t.equal(again.status, 409, 'it was approved in the app meanwhile')
    },
  )

  t.test('the state of the account rejects the mandate, not the call', async (t) => {
    for (const [debtorAccount, reason, change] of [
      [{ iban: 'IL910205710000000445566' }, 'AG01', {}],
      [
        { iban: 'DE89370400440532013000' },
        'MD09',
        {
          type: { localInstrumentCode: 'B2B' },
          maximumAmount: { currency: 'EUR', amount: '10' },
        },
      ],
    ] as const) {
      const created = await create({ debtorAccount, ...change }, {})
      t.match(
        created.body,
        { mandateStatus: 'rejected', mandateReasonCode: reason },
        JSON.stringify(created.body),
      )
      t.notOk(created.body._links.scaRedirect)
    }
  })

  t.test('what breaks a rule is refused with its code', async (t) => {
    const { occurrences } = request
    for (const [change, code] of [
      [{ debtor: undefined }, 'FORMAT_ERROR'],
      [{ debtor: { countryOfResidence: 'IL' } }, 'FORMAT_ERROR'],
      [{ unknown: 1 }, 'FORMAT_ERROR'],
      [{ debtorAccount: { iban: 'IL040205710000000200285' } }, 'FORMAT_ERROR'],
      [{ debtorAccount: { iban: 'IL510205710000000778899' } }, 'FORMAT_ERROR'],
      [{ debtorAccount: { bban: '123' } }, 'FORMAT_ERROR'],
      [{ type: { localInstrumentProprietary: 'X' } }, 'PARAMETER_NOT_SUPPORTED'],
      [{ occurrences: { ...occurrences, firstCollectionDate: '2026-01-01' } }, 'PERIOD_INVALID'],
      [{ occurrences: { ...occurrences, finalCollectionDate: '2026-12-01' } }, 'PERIOD_INVALID'],
      [{ maximumAmount: { currency: 'EUR', amount: '1' } }, 'PARAMETER_NOT_CONSISTENT'],
      [{ collectionAmount: { currency: 'ILS', amount: '901' } }, 'PARAMETER_NOT_CONSISTENT'],
      [
        { type: { localInstrumentCode: 'MASAV', classificationCode: 'FIXE' } },
        'PARAMETER_NOT_CONSISTENT',
      ],
    ] as const) {
      const answer = await create(change)
      t.strictSame([answer.status, codeOf(answer)], [400, code], JSON.stringify(change))
    }
    const odd = await create({}, { 'psu-id': 'nobody' })
    t.strictSame([odd.status, codeOf(odd)], [401, 'PSU_CREDENTIALS_INVALID'])
  })

  t.test('a mandate of another client answers exactly like an unknown one', async (t) => {
    const created = await create()
    const path = { resourceId: created.body.mandateResourceId }
    for (const operation of ['getMandate', 'getMandateStatus', 'deleteMandate']) {
      const headers = { 'x-request-id': randomUUID() }
      const foreign = await bank.call({ operation, path, headers, applicationId: 'other' })
      t.strictSame([foreign.status, codeOf(foreign)], [404, 'RESOURCE_UNKNOWN'])
      const unknown = await bank.call({ operation, path: { resourceId: randomUUID() }, headers })
      t.strictSame(foreign, unknown)
    }
  })
})
