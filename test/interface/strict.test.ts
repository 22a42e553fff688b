import { createHash, randomUUID } from 'node:crypto'
import t from 'tap'
import { codeOf, type TestAnswer } from '../support/bank.ts'
import { type InterfaceCall, interfaceWorld } from '../support/interface.ts'
import { bill, consentRequest, mandateRequest } from '../support/requests.ts'
import { createSeal, signatureOf } from '../support/seal.ts'

const refusal = (answer: TestAnswer) => `${answer.status} ${codeOf(answer)}`
/** What the Israeli standard wants of a consent. */
const complete = {
  'psu-id': '305567661',
  'tpp-redirect-uri': 'https://tpp.example/back',
  'tpp-notification-uri': 'https://tpp.example/notify',
}

t.test('a strict application', async (t) => {
  const { key, certificate, thumbprint } = createSeal(t, 'rsa')
  const world = await interfaceWorld(t, { seals: [thumbprint] })
  world.clock.now = Date.now() + 60_000

  /** A call as such an application makes it: digest, signature and certificate over everything that must be covered. */
  const signed = (
    test: typeof t,
    call: Omit<InterfaceCall, 'version' | 'as' | 'headers'> & { version?: string },
    headers: Readonly<Record<string, string>> = {},
    by = { key, certificate },
  ) => {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const bytes = createHash('sha256')
      .update(body ?? '')
      .digest('base64')
    const covered = {
      digest: `SHA-256=${bytes}`,
      'x-request-id': randomUUID(),
      date: new Date(world.clock.now).toUTCString(),
      ...headers,
    }
    const seal = {
      'tpp-signature-certificate': by.certificate,
      signature: signatureOf(covered, by.key),
    }
    return world.call(test, {
      version: '1.7.0',
      ...call,
      ...(body === undefined ? {} : { body }),
      as: 'strict',
      headers: { ...covered, ...seal },
    })
  }

  t.test('must sign every call, which others need not', async (t) => {
    for (const version of world.catalogue.versions.values()) {
      for (const { id } of version.operations) {
        const path = new Proxy({}, { get: () => randomUUID() })
        const call = { operation: id, version: version.version, path, as: 'strict' } as const
        const answer = await world.call(t, call)
        t.equal(refusal(answer), '401 CERTIFICATE_MISSING', `${version.version} ${id}`)
      }
    }
    const half = { 'tpp-signature-certificate': certificate }
    const call = { operation: 'createConsent', version: '1.7.0', body: consentRequest } as const
    const unsigned = await world.call(t, { ...call, as: 'strict', headers: half })
    t.equal(refusal(unsigned), '401 SIGNATURE_MISSING')
    t.equal((await world.call(t, call)).status, 201)
  })

  t.test('cannot sign with a certificate that it has not registered', async (t) => {
    const create = { operation: 'createConsent', body: consentRequest }
    const foreign = await signed(t, create, complete, createSeal(t, 'rsa'))
    t.equal(refusal(foreign), '401 CERTIFICATE_INVALID')
    t.match(foreign.body.tppMessages[0], {
      path: 'TPP-Signature-Certificate',
      text: /does not have this certificate.*add it on the portal/,
    })
  })

  t.test('makes a consent with everything the standard asks for, and none without', async (t) => {
    const create = { operation: 'createConsent', body: consentRequest }
    const made = await signed(t, create, complete)
    t.equal(made.status, 201, JSON.stringify(made.body))
    for (const missing of ['psu-id', 'tpp-redirect-uri', 'tpp-notification-uri']) {
      const { [missing]: _, ...rest } = complete as Record<string, string>
      const answer = await signed(t, create, rest)
      t.equal(refusal(answer), '400 FORMAT_ERROR')
      t.equal(answer.body.tppMessages[0].path.toLowerCase(), missing)
    }
    const named = await signed(t, create, { ...complete, 'psu-id': 'anton.brueckner' })
    t.equal(refusal(named), '400 FORMAT_ERROR', 'no identity number')
    const path = { consentId: made.body.consentId }
    const status = await signed(t, { operation: 'getConsentStatus', path })
    t.equal(status.body.consentStatus, 'received')
  })

  t.test('has customers sent back only to origins that it has registered', async (t) => {
    const create = { operation: 'createConsent', body: consentRequest }
    const elsewhere = { ...complete, 'tpp-redirect-uri': 'https://tpp.evil.example/back' }
    const answer = await signed(t, create, elsewhere)
    t.equal(refusal(answer), '400 FORMAT_ERROR')
    t.match(answer.body.tppMessages[0], {
      path: 'TPP-Redirect-URI',
      text: /https:\/\/tpp\.evil\.example.*registered: https:\/\/tpp\.example\./,
    })
  })

  t.test('is refused members that its product does not have, which others may send', async (t) => {
    const body = { ...bill, ultimateCreditor: 'Somebody', debtorName: 'Noa Levi' }
    const call = { operation: 'initiatePayment', path: { 'payment-product': 'masav' }, body }
    const answer = await signed(t, call, { 'psu-id': '305567661' })
    t.equal(refusal(answer), '400 FORMAT_ERROR')
    t.strictSame(
      answer.body.tppMessages.map(({ path }: { path: string }) => path),
      ['debtorName', 'ultimateCreditor'],
    )
    const headers = { 'psu-id': '305567661' }
    t.equal((await world.call(t, { ...call, version: '1.7.0', headers })).status, 201)
    t.equal((await signed(t, { ...call, body: bill }, headers)).status, 201)
  })

  t.test('makes mandates, too', async (t) => {
    const create = { operation: 'createMandate', version: '1.0.0', body: mandateRequest }
    t.equal(refusal(await signed(t, create)), '400 FORMAT_ERROR', 'whose account?')
    t.equal((await signed(t, create, { 'psu-id': '305567661' })).status, 201)
  })
})
