import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import {
  lastSegment,
  type TestAnswer,
  type TestBank,
  type TestCall,
  testBank,
} from '../../test/support/bank.ts'
import { bill, consentRequest, mandateRequest } from '../../test/support/requests.ts'
import { proofSeed, proofSize } from '../size.ts'
import {
  type Approach,
  dateOf,
  dayOf,
  openAuthorisation,
  type Put,
  pass,
  put,
  type ResourceModel,
  remove,
  stateOf,
  use,
} from '../support/bank-model.ts'
import {
  avi,
  type Creation,
  company,
  noa,
  type Step,
  step,
  wayThroughEveryState,
} from '../support/bank-steps.ts'

t.setTimeout(600_000)
// A bank waits for its database half of the time.
t.jobs = 2

const seed = proofSeed()
const banks = 4
const sequencesPerBank = proofSize({ share: 2, whole: 25 })
const stepsPerSequence = 100

const b2b = {
  type: { localInstrumentCode: 'B2B' },
  creditorSchemeIdentification: {
    identification: {
      privateId: {
        others: [{ identification: 'DE98ZZZ09999999999', schemeNameProprietary: 'SEPA' }],
      },
    },
  },
  creditor: { name: 'Atelier Lumière' },
  creditorAccount: { iban: 'FR1420041010050500013M02606' },
  debtor: { name: 'Brueckner Bau' },
  debtorAccount: { iban: 'DE62370400440532013001' },
}

/** Each sequence uses its own application, with its own count of failed attempts. */
const sandbox = { secrets: () => ['x'], portalUrl: () => 'http://portal.test' }

const bodies: Readonly<Record<Put, object>> = {
  identify: {},
  password: { psuData: { password: '12345' } },
  wrongPassword: { psuData: { password: 'wrong' } },
  sms: { authenticationMethodId: 'sms-1' },
  app: { authenticationMethodId: 'app-1' },
  noMethod: { authenticationMethodId: 'none' },
  otp: { scaAuthenticationData: '123456' },
  wrongOtp: { scaAuthenticationData: '000000' },
  confirm: { confirmationCode: '000000' },
}
/** The step that takes an embedded authorisation further. */
const nextPut: Readonly<Record<string, Put>> = {
  received: 'identify',
  psuIdentified: 'password',
  psuAuthenticated: 'sms',
  scaMethodSelected: 'otp',
}
const headersOf: Readonly<Record<Approach, Readonly<Record<string, string>>>> = {
  EMBEDDED: { 'tpp-redirect-preferred': 'false' },
  DECOUPLED: { 'tpp-decoupled-preferred': 'true' },
  REDIRECT: { 'tpp-redirect-uri': 'https://tpp.example/back' },
}
const finals = new Set([
  'ACSC',
  'ACCC',
  'RJCT',
  'CANC',
  'rejected',
  'revokedByPsu',
  'expired',
  'terminatedByTpp',
])

const states = [
  'RCVD',
  'ACTC',
  'ACFC',
  'ACWC',
  'ACSP',
  'ACSC',
  'ACCC',
  'RJCT',
  'CANC',
  'received',
  'valid',
  'rejected',
  'revokedByPsu',
  'expired',
  'terminatedByTpp',
  'psuIdentified',
  'psuAuthenticated',
  'scaMethodSelected',
  'started',
  'finalised',
  'failed',
]
for (let number = 0; number < banks; number += 1) {
  t.test(`a bank does what the model does, in steps of every kind (${number + 1})`, async (t) => {
    const bank = await testBank(t, { sandbox })
    let steps = 0
    const sequence = fc.array(step, { minLength: stepsPerSequence, maxLength: stepsPerSequence })
    await fc.assert(
      fc.asyncProperty(sequence, async (sequence) => {
        const run = createRun(bank)
        for (const step of sequence) {
          await run.take(step)
          steps += 1
        }
        await run.checkAll()
      }),
      // Time does not go back, so that a shorter sequence would be another one.
      { seed: seed + number, numRuns: sequencesPerBank, endOnFailure: true, verbose: 0 },
    )
    t.equal(steps, sequencesPerBank * stepsPerSequence)
  })
}

t.test('a bank does what the model does on a way through every state', async (t) => {
  const run = createRun(await testBank(t))
  for (const step of wayThroughEveryState) await run.take(step)
  t.strictSame(
    states.filter((state) => !run.reached.has(state)),
    [],
  )
})

/** One sequence: a TPP of its own, and the model of what it has made. */
function createRun(bank: TestBank) {
  /** States that were reported. */
  const reached = new Set<string>()
  const applicationId = randomUUID()
  const resources: ResourceModel[] = []
  const ended = new Map<ResourceModel, string>()
  const trail: string[] = []

  const call = (wanted: TestCall) => bank.call({ ...wanted, applicationId })

  function expectEqual(actual: unknown, wanted: unknown, about: string): void {
    if (actual === wanted) return
    throw new Error(
      `${about}: the bank says ${actual}, the model ${wanted} (SEED=${seed})\n${trail.join('\n')}`,
    )
  }

  async function take(step: Step): Promise<void> {
    // No two things happen at the same instant.
    bank.clock.now += 1
    if (step.kind === 'move') {
      trail.push(`move ${step.ms}`)
      bank.clock.now += step.ms
      await answer()
      return
    }
    pass(resources, bank.clock.now)
    if (step.kind === 'create') {
      const made = await create(step)
      resources.push(made)
      trail.push(`create ${resources.length - 1} ${JSON.stringify(step)} at ${stamp()}`)
      return check(made)
    }
    const place = step.at % Math.max(1, resources.length)
    const resource = resources[place]
    if (resource === undefined) return
    trail.push(`${JSON.stringify(step)} on ${place} at ${stamp()}`)
    switch (step.kind) {
      case 'put':
        await update(resource, step.step, step.isStranger)
        break
      case 'continue': {
        const next = nextPut[resource.authorisation.status]
        if (next !== undefined) await update(resource, next, false)
        break
      }
      case 'remove':
        await removed(resource)
        break
      case 'use':
        await used(resource)
        break
      case 'read':
        await readAuthorisation(resource)
        break
    }
    await check(resource)
  }

  function stamp(): string {
    return new Date(bank.clock.now).toISOString()
  }

  /**
   * People answer in the order in which they were asked; what an answer may end is looked at before, the last answer first.
   */
  async function answer(): Promise<void> {
    const valid = resources.filter((one) => one.kind === 'consent' && one.state === 'valid')
    const due = resources
      .filter((one) => (one.authorisation.answersAt ?? Infinity) <= bank.clock.now)
      .filter(({ authorisation }) => authorisation.status === 'started')
      .sort((a, b) => (b.authorisation.answersAt ?? 0) - (a.authorisation.answersAt ?? 0))
    pass(resources, bank.clock.now)
    for (const resource of [...valid, ...due]) await check(resource)
  }

  async function create(step: Creation): Promise<ResourceModel> {
    const { now } = bank.clock
    const day = dayOf(now) + step.days
    const { person } = step
    const headers = {
      ...headersOf[step.approach],
      ...(step.isNamed ? { 'psu-id': person.id } : {}),
    }
    const named = step.isNamed ? person : undefined
    const opened = ({ _links }: TestAnswer['body']) =>
      openAuthorisation(lastSegment(_links.scaStatus.href), step.approach, named, now)
    switch (step.what) {
      case 'consent': {
        const isRecurring = !step.isRare
        const { body } = await call({
          operation: 'createConsent',
          headers,
          body: {
            ...consentRequest,
            recurringIndicator: isRecurring,
            frequencyPerDay: isRecurring ? 100 : 1,
            validUntil: dateOf(day),
          },
        })
        return {
          kind: 'consent',
          id: body.consentId,
          createdAt: now,
          isRecurring,
          lastDay: day,
          authorisation: opened(body),
          person: named,
          state: 'received',
          usedAt: undefined,
        }
      }
      case 'payment': {
        const { product } = step
        const isDated = step.isRare && product !== 'zahav'
        const { debtorAccount: _, ...undated } = bill
        const { body } = await call({
          operation: 'initiatePayment',
          version: '1.6.0',
          path: { 'payment-product': product },
          headers,
          body: {
            ...undated,
            instructedAmount: { currency: 'ILS', amount: '0.01' },
            ...(isDated ? { requestedExecutionDate: dateOf(day) } : {}),
          },
        })
        return {
          kind: 'payment',
          id: body.paymentId,
          product,
          day: isDated ? day : undefined,
          authorisation: opened(body),
          state: 'RCVD',
          timeline: [],
          cancellation: undefined,
        }
      }
      case 'mandate': {
        const isB2b = step.isRare
        const debtor = isB2b ? company : noa
        // No operation updates its authorisation: asked on the page or on the device.
        const approach = step.approach === 'REDIRECT' ? 'REDIRECT' : 'DECOUPLED'
        const { body } = await call({
          operation: 'createMandate',
          headers: { ...headersOf[approach], 'psu-id': debtor.id },
          body: {
            ...(isB2b ? b2b : mandateRequest),
            mandateId: randomUUID().slice(0, 30),
            occurrences: {
              sequenceType: 'RCUR',
              frequencyType: 'Daily',
              duration: { fromDate: dateOf(dayOf(now)), toDate: dateOf(day) },
            },
          },
        })
        return {
          kind: 'mandate',
          id: body.mandateResourceId,
          isB2b,
          lastDay: day,
          authorisation: openAuthorisation(undefined, approach, debtor, now),
          state: 'received',
          reason: undefined,
          cancelledAt: undefined,
        }
      }
    }
  }

  async function update(resource: ResourceModel, step: Put, isStranger: boolean): Promise<void> {
    const { authorisation } = resource
    if (authorisation.id === undefined) return
    const own = authorisation.person ?? noa
    const person = isStranger && own !== avi ? avi : own
    const wanted = put(resources, resource, step, person, bank.clock.now)
    const answer = await call({
      operation:
        resource.kind === 'payment' ? 'updatePaymentAuthorisation' : 'updateConsentAuthorisation',
      path: { ...pathOf(resource), authorisationId: authorisation.id },
      headers: { 'psu-id': person.id },
      body: bodies[step],
    })
    expectEqual(answer.status, wanted, `PUT ${step}`)
    if (wanted !== 200) return
    reached.add(authorisation.status)
    expectEqual(answer.body.scaStatus, authorisation.status, `PUT ${step}`)
  }

  async function removed(resource: ResourceModel): Promise<void> {
    const wanted = remove(resource, resource.authorisation.person ?? noa, bank.clock.now)
    const operation = {
      consent: 'deleteConsent',
      payment: 'cancelPayment',
      mandate: 'deleteMandate',
    }[resource.kind]
    const answer = await call({ operation, path: pathOf(resource) })
    expectEqual(answer.status, wanted, 'DELETE')
  }

  async function used(resource: ResourceModel): Promise<void> {
    if (resource.kind !== 'consent') return
    const isUsable = use(resource, bank.clock.now)
    const headers = { 'consent-id': resource.id }
    const answer = await call({ operation: 'listAccounts', headers })
    expectEqual(answer.status === 200, isUsable, 'a read of data')
  }

  async function readAuthorisation(resource: ResourceModel): Promise<void> {
    const { authorisation, kind } = resource
    if (authorisation.id === undefined) return
    const answer = await call({
      operation: kind === 'payment' ? 'getPaymentAuthorisation' : 'getConsentAuthorisation',
      path: { ...pathOf(resource), authorisationId: authorisation.id },
    })
    reached.add(authorisation.status)
    expectEqual(answer.body.scaStatus, authorisation.status, 'the authorisation')
  }

  async function status(resource: ResourceModel): Promise<TestAnswer['body']> {
    const operation = {
      consent: 'getConsentStatus',
      payment: 'getPaymentStatus',
      mandate: 'getMandateStatus',
    }[resource.kind]
    const { body } = await call({ operation, path: pathOf(resource) })
    return body
  }

  async function check(resource: ResourceModel): Promise<void> {
    pass(resources, bank.clock.now)
    const body = await status(resource)
    const reported = body.consentStatus ?? body.transactionStatus ?? body.mandateStatus
    reached.add(reported)
    const name = `${resource.kind} ${resources.indexOf(resource)} at ${stamp()}`
    expectEqual(reported, stateOf(resource, bank.clock.now), name)
    if (resource.kind === 'mandate') {
      expectEqual(body.mandateReasonCode, resource.reason, 'the reason')
    }
    const before = ended.get(resource)
    if (before !== undefined && !(before === 'ACSC' && reported === 'ACCC')) {
      expectEqual(reported, before, 'what has ended')
    }
    if (finals.has(reported)) ended.set(resource, reported)
  }

  return {
    reached,
    take,
    async checkAll() {
      for (const resource of resources) await check(resource)
    },
  }
}

function pathOf(resource: ResourceModel): Readonly<Record<string, string>> {
  switch (resource.kind) {
    case 'consent':
      return { consentId: resource.id }
    case 'payment':
      return { 'payment-product': resource.product, paymentId: resource.id }
    case 'mandate':
      return { resourceId: resource.id }
  }
}
