import t, { type Test } from 'tap'
import { isJsonObject } from '../../src/catalogue/json.ts'
import { published } from '../support/published.ts'

const xs2a = published('xs2a', '1.7.0')
const mandate = published('mandate', '1.0.0')

type Published = typeof xs2a
type Members = Readonly<Record<string, unknown>>

/** What is tried: a title, the body, and the place a refusal must name. No place: the body is taken. */
type Trial = readonly [title: string, body: unknown, refusedAt?: string]

function tryBodies(t: Test, version: Published, operationId: string, trials: readonly Trial[]) {
  const validate = version.validator(version.body(operationId, 'request').schema)
  for (const [title, body, refusedAt] of trials) {
    const isTaken = validate(body)
    const { errors } = validate
    t.equal(isTaken, refusedAt === undefined, title, { errors })
    if (refusedAt === undefined) continue
    const places = (errors ?? []).map(({ instancePath }) => instancePath)
    t.ok(places.includes(refusedAt), `${title}: the refusal names ${refusedAt || 'the body'}`, {
      errors,
    })
  }
}

/** The first example of an operation's request, with some members changed; undefined leaves one out. */
function exampleOf(version: Published, operationId: string) {
  const example = version.body(operationId, 'request').examples[0]?.[1]
  if (!isJsonObject(example)) throw new Error(`${operationId} has no example`)
  return (changes: Members = {}): Members =>
    Object.fromEntries(
      Object.entries({ ...example, ...changes }).filter(([, value]) => value !== undefined),
    )
}

/** Checks a value against a parameter of an operation. */
function tryParameter(
  t: Test,
  version: Published,
  operationId: string,
  name: string,
  taken: readonly unknown[],
  refused: readonly unknown[],
) {
  const parameter = version.describe(operationId).parameters.find((it) => it.name === name)
  if (parameter === undefined) throw new Error(`${operationId} has no parameter ${name}`)
  const validate = version.validator(`${parameter.object.pointer}/schema`)
  for (const value of taken) t.ok(validate(value), `${name} takes ${value}`)
  for (const value of refused) t.notOk(validate(value), `${name} refuses ${value}`)
}

t.test('a payment needs amount, creditor and the creditor’s name, in their formats', async (t) => {
  const payment = exampleOf(xs2a, 'initiatePayment')
  const amount = (value: unknown) =>
    payment({ instructedAmount: { currency: 'ILS', amount: value } })
  tryBodies(t, xs2a, 'initiatePayment', [
    ['the example', payment()],
    ['Hebrew', payment({ creditorName: 'מים וביוב בע״מ' })],
    ['no debtor account: the PSU chooses', payment({ debtorAccount: undefined })],
    [
      'members it does not know, at every level',
      payment({ x: 1, creditorAccount: { iban: 'IL090123450000000123456', x: 1 } }),
    ],
    ['three decimals', amount('1.250')],
    ['no amount', payment({ instructedAmount: undefined }), ''],
    ['no creditor', payment({ creditorAccount: undefined }), ''],
    ['no name', payment({ creditorName: undefined }), ''],
    ['an empty name', payment({ creditorName: '' }), '/creditorName'],
    ['a name of 71 characters', payment({ creditorName: 'n'.repeat(71) }), '/creditorName'],
    ['a NUL', payment({ creditorName: 'a\u0000b' }), '/creditorName'],
    ['zero', amount('0'), '/instructedAmount/amount'],
    ['zero with decimals', amount('0.00'), '/instructedAmount/amount'],
    ['a negative amount', amount('-1.00'), '/instructedAmount/amount'],
    ['a number', amount(1), '/instructedAmount/amount'],
    ['a comma', amount('1,50'), '/instructedAmount/amount'],
    ['fifteen digits', amount('100000000000000'), '/instructedAmount/amount'],
    ['four decimals', amount('1.0001'), '/instructedAmount/amount'],
    [
      'a currency in lower case',
      payment({ instructedAmount: { currency: 'ils', amount: '1' } }),
      '/instructedAmount/currency',
    ],
    [
      'a date that does not exist',
      payment({ requestedExecutionDate: '2027-02-29' }),
      '/requestedExecutionDate',
    ],
    [
      'a day and a time',
      payment({
        requestedExecutionDate: '2027-01-04',
        requestedExecutionTime: '2027-01-04T10:00:00Z',
      }),
      '/requestedExecutionTime',
    ],
    [
      'an address without country',
      payment({ creditorAddress: { townName: 'Haifa' } }),
      '/creditorAddress',
    ],
    ['a list', [payment()], ''],
  ])
})

t.test('an account is named in exactly one way', async (t) => {
  const payment = exampleOf(xs2a, 'initiatePayment')
  const creditor = (creditorAccount: Members) => payment({ creditorAccount })
  const iban = 'IL090123450000000123456'
  tryBodies(t, xs2a, 'initiatePayment', [
    ['an IBAN', creditor({ iban })],
    ['a masked card number', creditor({ maskedPan: '453201******8812' })],
    [
      'another identification',
      creditor({ other: { identification: '30417', schemeNameCode: 'CUID' } }),
    ],
    ['none', creditor({}), '/creditorAccount'],
    ['two', creditor({ iban, bban: '123' }), '/creditorAccount'],
    [
      'an IBAN with blanks',
      creditor({ iban: 'IL09 0123 4500 0000 0123 456' }),
      '/creditorAccount/iban',
    ],
    [
      'a whole card number',
      creditor({ maskedPan: '4532015112830366' }),
      '/creditorAccount/maskedPan',
    ],
    [
      'a scheme by code and by name',
      creditor({
        other: { identification: '1', schemeNameCode: 'CUID', schemeNameProprietary: 'X' },
      }),
      '/creditorAccount/other/schemeNameProprietary',
    ],
  ])
})

t.test('an authorisation takes one step at a time', async (t) => {
  for (const id of ['updatePaymentAuthorisation', 'updateConsentAuthorisation']) {
    t.equal(xs2a.describe(id).requestBody?.value['required'], undefined, 'no body is a step too')
    tryBodies(t, xs2a, id, [
      ['identification', {}],
      ['the password', { psuData: { password: '12345' } }],
      ['an encrypted password', { psuData: { encryptedPassword: 'MTIzNDU=' } }],
      ['a method', { authenticationMethodId: 'sms-1' }],
      ['a one-time password', { scaAuthenticationData: '123456' }],
      ['a confirmation', { confirmationCode: '7f3c1a' }],
      ['a member it does not know beside a step', { scaAuthenticationData: '123456', x: 1 }],
      ['two steps', { scaAuthenticationData: '123456', confirmationCode: '7f3c1a' }, ''],
      [
        'password and method',
        { psuData: { password: '12345' }, authenticationMethodId: 'sms-1' },
        '',
      ],
      ['no password at all', { psuData: {} }, '/psuData'],
      [
        'a one-time password as a number',
        { scaAuthenticationData: 123456 },
        '/scaAuthenticationData',
      ],
      ['an empty confirmation', { confirmationCode: '' }, '/confirmationCode'],
    ])
  }
})

t.test('a consent has its five members and one form of access', async (t) => {
  const consent = exampleOf(xs2a, 'createConsent')
  const access = (value: unknown) => consent({ access: value })
  const account = { iban: 'IL030205710000000200285' }
  const required = [
    'access',
    'recurringIndicator',
    'validUntil',
    'frequencyPerDay',
    'combinedServiceIndicator',
  ]
  tryBodies(t, xs2a, 'createConsent', [
    ['the example', consent()],
    [
      'members it does not know',
      consent({ x: 1, access: { accounts: [{ ...account, x: 1 }], x: 1 } }),
    ],
    ...required.map((name): Trial => [`no ${name}`, consent({ [name]: undefined }), '']),
    ['only balances', access({ balances: [account] })],
    ['lists that are all empty', access({ accounts: [], balances: [] })],
    ['the list of accounts', access({ availableAccounts: 'allAccounts' })],
    [
      'the list with balances',
      access({ availableAccountsWithBalance: 'allAccountsWithOwnerName' }),
    ],
    [
      'everything, narrowed to current accounts',
      access({ allPsd2: 'allAccounts', restrictedTo: ['CACC'] }),
    ],
    [
      'the owner’s name too',
      access({ accounts: [account], additionalInformation: { ownerName: [account] } }),
    ],
    ['nothing', access({}), '/access'],
    ['empty lists beside a flag', access({ accounts: [], balances: [], allPsd2: 'allAccounts' })],
    [
      'a list that is empty beside one that is not',
      access({ accounts: [account], balances: [] }),
      '/access/balances',
    ],
    [
      'a list and a flag',
      access({ accounts: [account], allPsd2: 'allAccounts' }),
      '/access/accounts',
    ],
    [
      'two flags',
      access({ availableAccounts: 'allAccounts', allPsd2: 'allAccounts' }),
      '/access/allPsd2',
    ],
    [
      'a named account, narrowed',
      access({ accounts: [account], restrictedTo: ['CARD'] }),
      '/access/restrictedTo',
    ],
    ['an unknown permission', access({ allPsd2: 'everything' }), '/access/allPsd2'],
    [
      'an account named twice over',
      access({ accounts: [{ ...account, bban: '1' }] }),
      '/access/accounts/0',
    ],
    ['frequency 0', consent({ frequencyPerDay: 0 }), '/frequencyPerDay'],
    ['frequency as text', consent({ frequencyPerDay: '4' }), '/frequencyPerDay'],
    ['a one-off read once a day', consent({ recurringIndicator: false, frequencyPerDay: 1 })],
    [
      'a one-off read twice a day',
      consent({ recurringIndicator: false, frequencyPerDay: 2 }),
      '/frequencyPerDay',
    ],
    ['the last day of all', consent({ validUntil: '9999-12-31' })],
    ['a day in another form', consent({ validUntil: '31.12.2026' }), '/validUntil'],
  ])
})

t.test('a mandate is taken only when every member of it is understood', async (t) => {
  const example = exampleOf(mandate, 'createMandate')
  const type = (value: Members) => example({ type: value })
  const debtor = (value: Members) => example({ debtor: value })
  const occurrences = (value: Members) => example({ occurrences: value })
  const ceiling = (amount: string) => example({ maximumAmount: { currency: 'ILS', amount } })
  tryBodies(t, mandate, 'createMandate', [
    ['the example', example()],
    ...['mandateId', 'type', 'creditor', 'debtor', 'debtorAccount'].map(
      (name): Trial => [`no ${name}`, example({ [name]: undefined }), ''],
    ),
    ['a misspelled ceiling', example({ maximalAmount: { currency: 'ILS', amount: '1' } }), ''],
    ['an unknown member of the debtor', debtor({ name: 'Noa', nickname: 'N' }), '/debtor'],
    ['no ceiling, as 0', ceiling('0')],
    ['a negative ceiling', ceiling('-1'), '/maximumAmount/amount'],
    [
      'a collection of nothing',
      example({ collectionAmount: { currency: 'ILS', amount: '0' } }),
      '/collectionAmount/amount',
    ],
    ['no instrument', type({ serviceLevelCode: 'SEPA' }), '/type'],
    [
      'an instrument by code and by name',
      type({ localInstrumentCode: 'CORE', localInstrumentProprietary: 'X' }),
      '/type',
    ],
    ['an unknown instrument', type({ localInstrumentCode: 'COR1' }), '/type/localInstrumentCode'],
    [
      'a classification by code and by name',
      type({
        localInstrumentCode: 'CORE',
        classificationCode: 'FIXE',
        classificationProprietary: 'X',
      }),
      '/type/classificationProprietary',
    ],
    ['a reason from the whole list of ISO', example({ reasonCode: 'BANK' })],
    ['a reason in words', example({ reasonCode: 'rent' }), '/reasonCode'],
    [
      'an agent by its clearing system alone',
      example({
        creditorAgent: {
          financialInstitutionId: {
            clearingSystemMemberId: { clearingSystemIdentificationCode: 'ILIBN' },
          },
        },
      }),
    ],
    ['a single collection', occurrences({ sequenceType: 'OOFF' })],
    ['a reference with a blank', example({ mandateId: 'A 1' })],
    ['a reference in Hebrew', example({ mandateId: 'מנדט' }), '/mandateId'],
    ['a reference with a slash at its end', example({ mandateId: 'A/' }), '/mandateId'],
    ['a reference with a slash at its begin', example({ mandateId: '/A' }), '/mandateId'],
    ['a reference with two slashes', example({ mandateId: 'A//B' }), '/mandateId'],
    ['a reference of 36 characters', example({ mandateId: 'A'.repeat(36) }), '/mandateId'],
    [
      'a person and an organisation at once',
      debtor({
        identification: {
          organisationId: { anyBIC: 'TESTILITXXX' },
          privateId: { cityOfBirth: 'Haifa' },
        },
      }),
      '/debtor/identification',
    ],
    [
      'an address in lines',
      debtor({ name: 'N', postalAddress: { addressLines: ['Herzl 1', 'Haifa'], country: 'IL' } }),
    ],
    [
      'an address in parts',
      debtor({ name: 'N', postalAddress: { townName: 'Haifa', country: 'IL' } }),
    ],
    [
      'an address without country',
      debtor({ name: 'N', postalAddress: { townName: 'Haifa' } }),
      '/debtor/postalAddress',
    ],
    [
      'an address in lines and parts',
      debtor({ name: 'N', postalAddress: { addressLines: ['Herzl 1'], townName: 'Haifa' } }),
      '/debtor/postalAddress/townName',
    ],
    [
      'a telephone number',
      debtor({ name: 'N', contactDetails: { phoneNumber: '+972-4-8551234' } }),
    ],
    [
      'a telephone number without country',
      debtor({ name: 'N', contactDetails: { phoneNumber: '04-8551234' } }),
      '/debtor/contactDetails/phoneNumber',
    ],
  ])
})

t.test('headers are checked when they are sent', async (t) => {
  const uuid = '99391c7e-ad88-49ec-a2ad-99ddcb1f7721'
  const check = (name: string, taken: readonly unknown[], refused: readonly unknown[]) =>
    tryParameter(t, xs2a, 'initiatePayment', name, taken, refused)
  check(
    'X-Request-ID',
    [uuid, uuid.toUpperCase()],
    ['', ' ', '12', `urn:uuid:${uuid}`, `{${uuid}}`],
  )
  check('PSU-IP-Address', ['192.0.2.1', '2001:db8::1'], ['192.0.2.256', 'localhost', ''])
  check('PSU-ID', ['305567661', 'anton.brueckner', 'PSU-Successful'], ['', 'p'.repeat(513)])
  check('TPP-Redirect-Preferred', ['true', 'False', 'TRUE'], ['1', 'yes', ''])
  check(
    'TPP-Redirect-URI',
    ['https://app.tpp.example/return?a=b'],
    ['javascript:alert(1)', '//tpp.example', 'return', `https://tpp.example/${'p'.repeat(2048)}`],
  )
  check(
    'TPP-Notification-Content-Preferred',
    ['status=SCA', 'status=SCA,PROCESS,LAST'],
    ['SCA', 'status='],
  )
  check('PSU-Geo-Location', ['GEO:32.794044;34.989571'], ['32.79;34.98'])
  check('PSU-Http-Method', ['GET'], ['get', 'HEAD'])
})

t.test('identifiers and products in the path are for the bank to know', async (t) => {
  const check = (operationId: string, name: string) =>
    tryParameter(
      t,
      xs2a,
      operationId,
      name,
      ['masav', 'MASAV', '~x_y.z-1'],
      ['', 'p'.repeat(513), 'a/b', 'é'],
    )
  check('initiatePayment', 'payment-product')
  check('getPayment', 'paymentId')
  check('getAccount', 'account-id')
  check('getAccountTransaction', 'transactionId')
  check('getConsent', 'consentId')
  check('getConsentAuthorisation', 'authorisationId')
})

t.test('which headers and parameters a call cannot do without', async (t) => {
  const required = (version: Published, id: string) =>
    version
      .describe(id)
      .parameters.filter((it) => it.isRequired && it.in !== 'path' && it.name !== 'X-Request-ID')
      .map(({ name }) => name)
  for (const version of [mandate, xs2a]) {
    for (const { id, method, template } of version.operations) {
      const expected =
        method === 'POST'
          ? ['PSU-IP-Address']
          : template.endsWith('/transactions')
            ? ['Consent-ID', 'bookingStatus']
            : /^\/(card-)?accounts/.test(template)
              ? ['Consent-ID']
              : []
      t.same(required(version, id), expected, id)
    }
  }
})
