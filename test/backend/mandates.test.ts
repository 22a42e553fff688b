import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { codeOf, testBank } from '../support/bank.ts'
import {
  anton,
  approvedMandate,
  b2b,
  brueckner,
  core,
  createMandate,
  identified,
  masav,
  noa,
  statusOf,
} from '../support/mandates.ts'

t.test('mandates', async (t) => {
  const bank = await testBank(t)
  const create = (change: object = {}, headers: object = noa) =>
    createMandate(
      bank,
      { ...masav, mandateId: randomUUID().slice(0, 30), ...change },
      {
        ...headers,
      },
    )

  t.test('a mandate is made, approved in the app, read and ended', async (t) => {
    const created = await create({ mandateId: masav.mandateId })
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
    t.strictSame(await statusOf(bank, resourceId), { mandateStatus: 'received' })
    bank.clock.now += 2000
    t.strictSame(await statusOf(bank, resourceId), { mandateStatus: 'valid' })
    const { body: read } = await bank.call({ operation: 'getMandate', path: { resourceId } })
    t.strictSame(read, {
      creditorAccount: { other: { identification: '30417' } },
      ...masav,
      mandateStatus: 'valid',
      lastActionDate: '2026-11-20',
    })
    const remove = () => bank.call({ operation: 'deleteMandate', path: { resourceId } })
    t.equal((await remove()).status, 204)
    t.equal((await remove()).status, 204)
    t.strictSame(await statusOf(bank, resourceId), {
      mandateStatus: 'terminatedByTpp',
      mandateReasonCode: 'MD17',
    })
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
    t.strictSame(await statusOf(bank, path.resourceId), {
      mandateStatus: 'rejected',
      mandateReasonCode: 'MD13',
    })
    const late = await bank.call({ operation: 'deleteMandate', path })
    t.strictSame([late.status, codeOf(late)], [409, 'STATUS_INVALID'])

    const fresh = await create()
    const freshPath = { resourceId: fresh.body.mandateResourceId }
    await bank.call({ operation: 'deleteMandate', path: freshPath })
    bank.clock.now += 2000
    t.strictSame(await statusOf(bank, freshPath.resourceId), {
      mandateStatus: 'terminatedByTpp',
      mandateReasonCode: 'MD22',
    })
  })

  t.test('a mandate that is not approved within a day is rejected', async (t) => {
    const { body } = await create({}, { ...noa, 'tpp-redirect-uri': 'https://app.tpp.example' })
    bank.clock.now += 24 * 3_600_000 - 1
    t.strictSame(await statusOf(bank, body.mandateResourceId), { mandateStatus: 'received' })
    bank.clock.now += 1
    t.strictSame(await statusOf(bank, body.mandateResourceId), {
      mandateStatus: 'rejected',
      mandateReasonCode: 'MD13',
    })
  })

  t.test('a mandate expires after its last day, even if it is read much later', async (t) => {
    for (const occurrences of [
      { sequenceType: 'RCUR', finalCollectionDate: '2026-12-01' },
      { sequenceType: 'RCUR', duration: { fromDate: '2026-01-01', toDate: '2026-12-01' } },
    ]) {
      bank.clock.now = Date.parse('2026-11-30T08:00:00Z')
      const resourceId = await approvedMandate(bank, { ...masav, occurrences }, noa)
      bank.clock.now = Date.parse('2026-12-01T21:59:59Z')
      t.strictSame(await statusOf(bank, resourceId), { mandateStatus: 'valid' })
      bank.clock.now += 3 * 24 * 3_600_000
      t.strictSame(await statusOf(bank, resourceId), {
        mandateStatus: 'expired',
        mandateReasonCode: 'MD20',
      })
      const { body } = await bank.call({ operation: 'getMandate', path: { resourceId } })
      t.equal(body.lastActionDate, '2026-12-02')
    }
    bank.clock.now = Date.parse('2026-11-20T08:00:00Z')
  })

  t.test('an open mandate keeps its reference; an ended one frees it', async (t) => {
    const mandateId = 'ONE-of-a-kind'
    const first = await create({ mandateId })
    const second = await create({ mandateId: mandateId.toUpperCase() })
    t.strictSame([second.status, codeOf(second)], [409, 'STATUS_INVALID'])
    t.equal(second.body.apiClientMessages[0].path, 'mandateId')
    const closed = { debtorAccount: { iban: 'IL910205710000000445566' } }
    t.equal((await create({ mandateId, ...closed })).status, 409, 'nor is it rejected')
    const path = { resourceId: first.body.mandateResourceId }
    await bank.call({ operation: 'deleteMandate', path })
    t.equal((await create({ mandateId })).status, 201)
  })

  t.test('a reference is free for another creditor, and for that of another client', async (t) => {
    const mandateId = 'Shared'
    const named = (name: string) => ({ mandateId, creditor: { name } })
    const institution = (identification: string, name?: string) => ({
      mandateId,
      creditor: { name, identification: { organisationId: { others: [{ identification }] } } },
    })
    const ofSepa = (identifier: string, name: string) => ({
      ...core,
      occurrences: undefined,
      maximumAmount: undefined,
      mandateId,
      creditor: { name },
      creditorSchemeIdentification: identified(identifier),
    })
    for (const [change, status, title] of [
      [named('Carmel'), 201, 'the first'],
      [named('CARMEL'), 409, 'the name without regard to case'],
      [named('Carmel Housing'), 201, 'another name'],
      [institution('30418'), 201, 'another institution'],
      [institution('30418', 'Renamed'), 409, 'its code counts, not its name'],
      [ofSepa('DE98ZZZ09999999999', 'A'), 201, 'another scheme'],
      [ofSepa('DE98ABC09999999999', 'B'), 409, 'neither business code nor name count'],
      [ofSepa('AT88ZZZ00000000001', 'A'), 201, 'another identifier'],
    ] as const) {
      t.equal((await create(change, {})).status, status, title)
    }
    const other = await bank.call({
      operation: 'createMandate',
      applicationId: 'other',
      body: { ...masav, ...named('Carmel') },
    })
    t.equal(other.status, 201)
  })

  t.test('an expired mandate frees its reference, even before it is read', async (t) => {
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
    bank.clock.now = Date.parse('2026-11-20T08:00:00Z')
  })

  t.test('the state of the account rejects the mandate, not the call', async (t) => {
    const blocked = await ibanOf('PSU-AccountBlocked')
    await sql`update bank.accounts set status = 'deleted'
      where iban = 'NL91ABNA0417164300'`.execute(bank.database.connect<unknown>())
    const euros = { occurrences: undefined, maximumAmount: undefined }
    const nationalId = (identification: string, schemeNameCode = 'NIDN') => ({
      debtor: {
        identification: { privateId: { others: [{ identification, schemeNameCode }] } },
      },
    })
    for (const [reason, change, headers] of [
      ['AC01', { debtorAccount: { iban: 'IL510205710000000778899' } }, noa],
      ['AC01', { debtorAccount: { iban: 'IL090123450000000123456' } }, noa],
      ['AC01', { ...core, ...euros, debtorAccount: masav.debtorAccount }, noa],
      ['AC04', { ...core, ...euros, debtorAccount: { iban: 'NL91ABNA0417164300' } }, anton],
      ['AC04', { ...core, ...euros, debtorAccount: { iban: 'NL91ABNA0417164300' } }, {}],
      ['AC06', { debtorAccount: { iban: blocked } }, {}],
      ['AG01', { debtorAccount: { iban: 'IL910205710000000445566' } }, noa],
      ['MD09', { ...b2b, ...euros, debtorAccount: core.debtorAccount }, anton],
      ['BE01', nationalId('123456782'), noa],
      ['BE01', nationalId('123456782'), {}],
      [undefined, nationalId('305567661'), noa],
      [undefined, nationalId('4711', 'CUST'), noa],
      [undefined, { ...b2b, ...euros }, brueckner],
    ] as const) {
      const created = await create(change, headers)
      const title = `${reason} ${JSON.stringify(change)}`
      t.equal(created.status, 201, title)
      const state =
        reason === undefined
          ? { mandateStatus: 'received' }
          : { mandateStatus: 'rejected', mandateReasonCode: reason }
      t.match(created.body, state, title)
      t.strictSame(await statusOf(bank, created.body.mandateResourceId), state, title)
      t.notOk(created.body._links.scaRedirect)
    }
  })

  t.test(
    'an account of another person gets the same answer as one that does not exist',
    async (t) => {
      const answers = await Promise.all(
        ['IL510205710000000778899', 'IL090123450000000123456'].map(async (iban) => {
          const { status, headers, body } = await create({ debtorAccount: { iban } })
          const names = Object.keys(headers)
          return JSON.stringify({ status, names, body }).replaceAll(body.mandateResourceId, '')
        }),
      )
      t.equal(answers[0], answers[1])
      const unnamed = await create({ debtorAccount: { iban: 'IL090123450000000123456' } }, {})
      t.strictSame([unnamed.status, codeOf(unnamed)], [400, 'FORMAT_ERROR'])
      t.equal(unnamed.body.apiClientMessages[0].path, 'debtorAccount')
    },
  )

  t.test('what breaks a rule of every mandate is refused with its code and place', async (t) => {
    const { occurrences } = masav
    const when = (change: object) => ({ occurrences: { ...occurrences, ...change } })
    const duration = { fromDate: '2026-12-01', toDate: '2026-12-31' }
    const once = (change: object) => ({ occurrences: { sequenceType: 'OOFF', ...change } })
    const kind = (change: object) => ({ type: { ...masav.type, ...change } })
    for (const [change, code, path] of [
      [{ debtor: undefined }, 'FORMAT_ERROR', 'debtor'],
      [{ debtor: { countryOfResidence: 'IL' } }, 'FORMAT_ERROR', 'debtor'],
      [{ creditor: { countryOfResidence: 'IL' } }, 'FORMAT_ERROR', 'creditor'],
      [{ unknown: 1 }, 'FORMAT_ERROR', 'unknown'],
      [{ mandateId: '/A' }, 'FORMAT_ERROR', 'mandateId'],
      [{ mandateId: 'A/' }, 'FORMAT_ERROR', 'mandateId'],
      [{ mandateId: 'A//B' }, 'FORMAT_ERROR', 'mandateId'],
      [{ mandateId: 'A_B' }, 'FORMAT_ERROR', 'mandateId'],
      [
        { debtorAccount: { iban: 'IL040205710000000200285' } },
        'FORMAT_ERROR',
        'debtorAccount.iban',
      ],
      [{ debtorAccount: { bban: '123' } }, 'FORMAT_ERROR', 'debtorAccount.iban'],
      [{ creditorAccount: masav.debtorAccount }, 'FORMAT_ERROR', 'creditorAccount'],
      [
        { creditorAccount: { iban: 'IL090123450000000123457' } },
        'FORMAT_ERROR',
        'creditorAccount.iban',
      ],
      [
        { collectionAmount: { currency: 'ILS', amount: '1.005' } },
        'FORMAT_ERROR',
        'collectionAmount.amount',
      ],
      [
        kind({ categoryPurposeProprietary: 'X' }),
        'FORMAT_ERROR',
        'type.categoryPurposeProprietary',
      ],
      [
        { type: { localInstrumentProprietary: 'X' } },
        'PARAMETER_NOT_SUPPORTED',
        'type.localInstrumentProprietary',
      ],
      [
        when({ firstCollectionDate: '2026-01-01' }),
        'PERIOD_INVALID',
        'occurrences.firstCollectionDate',
      ],
      [
        when({ finalCollectionDate: '2026-12-01' }),
        'PERIOD_INVALID',
        'occurrences.finalCollectionDate',
      ],
      [
        when({ firstCollectionDate: undefined, finalCollectionDate: '2026-11-19' }),
        'PERIOD_INVALID',
        'occurrences.finalCollectionDate',
      ],
      [when({ duration }), 'PERIOD_INVALID', 'occurrences.finalCollectionDate'],
      [
        when({ duration, firstCollectionDate: '2026-11-30', finalCollectionDate: undefined }),
        'PERIOD_INVALID',
        'occurrences.firstCollectionDate',
      ],
      [
        once({ duration: { fromDate: '2026-12-31', toDate: '2026-12-01' } }),
        'PERIOD_INVALID',
        'occurrences.duration.toDate',
      ],
      [once({ duration }), 'PERIOD_INVALID', 'occurrences.duration.toDate'],
      [
        once({ firstCollectionDate: '2026-12-01', finalCollectionDate: '2026-12-02' }),
        'PERIOD_INVALID',
        'occurrences.finalCollectionDate',
      ],
      [once({ frequencyType: 'Monthly' }), 'PARAMETER_NOT_CONSISTENT', 'occurrences.frequencyType'],
      [
        { maximumAmount: { currency: 'EUR', amount: '1' } },
        'PARAMETER_NOT_CONSISTENT',
        'maximumAmount.currency',
      ],
      [
        { debtorAccount: { ...masav.debtorAccount, currency: 'USD' } },
        'PARAMETER_NOT_CONSISTENT',
        'debtorAccount.currency',
      ],
      [
        { collectionAmount: { currency: 'ILS', amount: '901' } },
        'PARAMETER_NOT_CONSISTENT',
        'collectionAmount.amount',
      ],
      [
        { firstCollectionAmount: { currency: 'ILS', amount: '900.01' } },
        'PARAMETER_NOT_CONSISTENT',
        'firstCollectionAmount.amount',
      ],
      [kind({ classificationCode: 'FIXE' }), 'PARAMETER_NOT_CONSISTENT', 'collectionAmount'],
    ] as const) {
      await refused(t, change, code, path)
    }
    const odd = await create({}, { 'psu-id': 'unknown' })
    t.strictSame([odd.status, codeOf(odd)], [401, 'PSU_CREDENTIALS_INVALID'])
    const unlimited = await create({
      maximumAmount: { currency: 'ILS', amount: '0' },
      collectionAmount: { currency: 'ILS', amount: '100000' },
    })
    t.equal(unlimited.status, 201, 'a maximum of 0 sets no limit')
  })

  t.test('what breaks a rule of an instrument is refused with its code and place', async (t) => {
    const long = 'x'.repeat(71)
    const lines = (...addressLines: string[]) => ({ name: 'A', postalAddress: { addressLines } })
    const identifier = 'creditorSchemeIdentification.identification.privateId.others[0]'
    const euros = (amount: string) => ({ currency: 'EUR', amount })
    const ofOrganisation = {
      identification: { organisationId: { others: [{ identification: 'DE98ZZZ09999999999' }] } },
    }
    for (const [change, code, path] of [
      [{ creditorSchemeIdentification: undefined }, 'FORMAT_ERROR', `${identifier}.identification`],
      [
        { creditorSchemeIdentification: { name: 'Atelier' } },
        'FORMAT_ERROR',
        `${identifier}.identification`,
      ],
      [
        { creditorSchemeIdentification: identified('DE99ZZZ09999999999') },
        'FORMAT_ERROR',
        `${identifier}.identification`,
      ],
      [
        { creditorSchemeIdentification: identified('DE98ZZZ09999999999', 'OTHER') },
        'FORMAT_ERROR',
        `${identifier}.schemeNameProprietary`,
      ],
      [
        { creditorSchemeIdentification: ofOrganisation },
        'FORMAT_ERROR',
        'creditorSchemeIdentification.identification.organisationId.others[0].schemeNameProprietary',
      ],
      [{ creditor: { name: long } }, 'FORMAT_ERROR', 'creditor.name'],
      [{ debtor: { name: long } }, 'FORMAT_ERROR', 'debtor.name'],
      [{ ultimateDebtor: { name: long } }, 'FORMAT_ERROR', 'ultimateDebtor.name'],
      [{ creditor: lines('a', 'b', 'c') }, 'FORMAT_ERROR', 'creditor.postalAddress.addressLines'],
      [{ debtor: lines(long) }, 'FORMAT_ERROR', 'debtor.postalAddress.addressLines'],
      [
        { creditor: { identification: { privateId: { others: [{ identification: '1' }] } } } },
        'FORMAT_ERROR',
        'creditor',
      ],
      [{ collectionAmount: euros('1000000000') }, 'FORMAT_ERROR', 'collectionAmount.amount'],
      [{ collectionAmount: euros('0.00') }, 'FORMAT_ERROR', 'collectionAmount.amount'],
      [{ maximumAmount: euros('999999999.991') }, 'FORMAT_ERROR', 'maximumAmount.amount'],
      [
        { type: { localInstrumentCode: 'CORE', serviceLevelCode: 'INST' } },
        'SERVICE_INVALID',
        'type.serviceLevelCode',
      ],
      [
        { type: { localInstrumentCode: 'B2B', serviceLevelProprietary: 'SEPA' } },
        'SERVICE_INVALID',
        'type.serviceLevelProprietary',
      ],
      [
        { collectionAmount: { currency: 'ILS', amount: '1' } },
        'PARAMETER_NOT_CONSISTENT',
        'collectionAmount.currency',
      ],
    ] as const) {
      await refused(
        t,
        { occurrences: undefined, maximumAmount: undefined, ...core, ...change },
        code,
        path,
      )
    }
    for (const [change, code, path] of [
      [
        { type: { localInstrumentCode: 'MASAV', serviceLevelCode: 'SEPA' } },
        'SERVICE_INVALID',
        'type.serviceLevelCode',
      ],
      [
        { creditor: { identification: { organisationId: { anyBIC: 'TESTILITXXX' } } } },
        'FORMAT_ERROR',
        'creditor',
      ],
    ] as const) {
      await refused(t, change, code, path)
    }
    for (const change of [
      { creditor: { name: long } },
      { creditor: { identification: { organisationId: { others: [{ identification: '1' }] } } } },
      { collectionAmount: { currency: 'ILS', amount: '99999999999' }, maximumAmount: undefined },
    ]) {
      t.equal((await create(change)).status, 201, JSON.stringify(change))
    }
  })

  t.test('all faults of the form are reported at once', async (t) => {
    const { body } = await create({
      ...core,
      debtor: { name: 'x'.repeat(71) },
      maximumAmount: { currency: 'EUR', amount: '1000000000' },
      creditorSchemeIdentification: undefined,
    })
    t.equal(body.apiClientMessages.length, 3)
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

  async function refused(t: Test, change: object, code: string, path: string) {
    const answer = await create(change)
    const title = JSON.stringify(change)
    t.strictSame([answer.status, codeOf(answer)], [400, code], title)
    const paths: string[] = (answer.body.apiClientMessages ?? []).map(
      (message: { path?: string }) => message.path,
    )
    t.ok(paths.includes(path), `${paths} has ${path}: ${title}`)
  }

  async function ibanOf(alias: string): Promise<string> {
    const { rows } = await sql<{ iban: string }>`
      select a.iban from bank.accounts a join bank.psus p on p.id = a.psu_id
      where p.alias = ${alias}`.execute(bank.database.connect<unknown>())
    return rows[0]?.iban ?? ''
  }
})
