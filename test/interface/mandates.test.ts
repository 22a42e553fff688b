import { randomUUID } from 'node:crypto'
import t from 'tap'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { codeOf, type TestAnswer } from '../support/bank.ts'
import { type InterfaceCall, interfaceWorld } from '../support/interface.ts'
import { mandateRequest } from '../support/requests.ts'

const noa = { 'psu-id': '305567661' }
/** A business with an account in euros. */
const business = 'PSU-EuroCorporate'
/** A SEPA mandate between businesses. */
const b2b = {
  type: { localInstrumentCode: 'B2B' },
  creditor: { name: 'Atelier Lumière' },
  creditorSchemeIdentification: {
    identification: {
      organisationId: {
        others: [{ identification: 'DE98ZZZ09999999999', schemeNameProprietary: 'SEPA' }],
      },
    },
  },
}

/** The account of a persona as the one to debit. */
function of(alias: string) {
  const account = sandboxPsus.find((psu) => psu.alias === alias)?.accounts[0]
  if (account === undefined) throw new Error(`${alias} has no account`)
  return { debtorAccount: { iban: account.iban } }
}

t.test('mandates through the gateway', async (t) => {
  const world = await interfaceWorld(t)
  const version = '1.0.0'
  const refusal = (answer: TestAnswer) => `${answer.status} ${codeOf(answer)}`
  const call = (test: typeof t, operation: string, change: Partial<InterfaceCall> = {}) =>
    world.call(test, { operation, version, ...change })
  let count = 0
  const create = (test: typeof t, body: object = {}, headers: object = noa) => {
    count += 1
    const named = { ...mandateRequest, mandateId: `M-${count}`, ...body }
    return call(test, 'createMandate', { headers: { ...headers }, body: named })
  }
  const pathOf = ({ body }: TestAnswer) => ({ resourceId: String(body.mandateResourceId) })
  const statusOf = async (test: typeof t, path: { resourceId: string }) =>
    (await call(test, 'getMandateStatus', { path })).body

  t.test('a mandate is made, approved on the device of the debtor, read and ended', async (t) => {
    const made = await create(t)
    const path = pathOf(made)
    t.equal(made.headers['location'], `/v1.0.0/mandates/${path.resourceId}`)
    t.equal((await statusOf(t, path)).mandateStatus, 'received')
    world.clock.now += 2000
    const read = await call(t, 'getMandate', { path })
    t.match(read.body, { mandateStatus: 'valid', creditorAccount: { other: {} } })
    t.equal((await call(t, 'deleteMandate', { path })).status, 204)
    t.strictSame(await statusOf(t, path), {
      mandateStatus: 'terminatedByTpp',
      mandateReasonCode: 'MD17',
    })
    t.equal((await call(t, 'deleteMandate', { path })).status, 204, 'again')
  })

  t.test('the same answer for what is unknown and what is of another TPP', async (t) => {
    const path = pathOf(await create(t))
    for (const operation of ['getMandate', 'deleteMandate', 'getMandateStatus']) {
      const unknown = await call(t, operation, { path: { resourceId: randomUUID() } })
      t.equal(refusal(unknown), '404 RESOURCE_UNKNOWN', operation)
      const foreign = await call(t, operation, { path, as: 'other' })
      t.strictSame(foreign.body, unknown.body, operation)
    }
  })

  t.test('POST: what is wrong is refused with its code', async (t) => {
    const amount = (text: string, currency = 'ILS') => ({ currency, amount: text })
    const once = { sequenceType: 'OOFF', firstCollectionDate: '2026-12-01' }
    for (const [expected, body, headers] of [
      ['400 FORMAT_ERROR', { debtorAccount: { iban: 'IL030205710000000200286' } }],
      ['400 FORMAT_ERROR', { mandateId: undefined }],
      ['400 PARAMETER_NOT_CONSISTENT', { collectionAmount: amount('5', 'EUR') }],
      [
        '400 PARAMETER_NOT_CONSISTENT',
        { type: { localInstrumentCode: 'MASAV', classificationCode: 'FIXE' } },
      ],
      [
        '400 PARAMETER_NOT_CONSISTENT',
        { collectionAmount: amount('9'), maximumAmount: amount('5') },
      ],
      ['400 PARAMETER_NOT_SUPPORTED', { type: { localInstrumentProprietary: 'CHEQUE' } }],
      ['400 PERIOD_INVALID', { occurrences: { ...once, finalCollectionDate: '2026-12-02' } }],
      ['400 SERVICE_INVALID', { type: { localInstrumentCode: 'MASAV', serviceLevelCode: 'SEPA' } }],
      ['401 PSU_CREDENTIALS_INVALID', {}, { 'psu-id': 'PSU-Blocked' }],
      ['403 SERVICE_BLOCKED', {}, { 'psu-id': 'PSU-ServiceBlocked' }],
    ] as const) {
      t.equal(refusal(await create(t, body, headers)), expected, JSON.stringify(body))
    }
    const twice = { mandateId: 'Twice' }
    t.equal((await create(t, twice)).status, 201)
    t.equal(refusal(await create(t, { mandateId: 'TWICE' })), '409 STATUS_INVALID')
  })

  t.test(
    'POST: what the account does not allow is made and rejected, with the reason',
    async (t) => {
      for (const [reason, body, headers] of [
        ['AC06', of('PSU-AccountBlocked'), { 'psu-id': 'PSU-AccountBlocked' }],
        ['AC04', of('PSU-AccountClosed'), { 'psu-id': 'PSU-AccountClosed' }],
        ['AG01', { debtorAccount: { iban: 'IL910205710000000445566' } }, noa],
        ['AC01', { debtorAccount: { iban: 'IL090123450000000123456' } }, noa],
      ] as const) {
        const made = await create(t, body, headers)
        t.match(made.body, { mandateStatus: 'rejected', mandateReasonCode: reason }, reason)
        const path = pathOf(made)
        t.equal(refusal(await call(t, 'deleteMandate', { path })), '409 STATUS_INVALID')
      }
    },
  )

  t.test('DELETE: a debtor that is a business approves the end of its mandate', async (t) => {
    const made = await create(t, { ...b2b, ...of(business) }, { 'psu-id': business })
    t.equal(made.body.mandateStatus, 'received')
    const path = pathOf(made)
    world.clock.now += 2000
    t.equal((await statusOf(t, path)).mandateStatus, 'valid')
    const asked = await call(t, 'deleteMandate', { path })
    t.strictSame([asked.status, asked.body.mandateStatus], [202, 'valid'])
    world.clock.now += 2000
    t.equal((await statusOf(t, path)).mandateStatus, 'terminatedByTpp')
  })
})
