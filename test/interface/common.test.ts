import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { codeOf, start, type TestAnswer } from '../support/bank.ts'
import { testEmbedded } from '../support/database.ts'
import { type InterfaceCall, interfaceWorld } from '../support/interface.ts'
import { bill, consentRequest, mandateRequest } from '../support/requests.ts'
import { createSeal, signatureOf } from '../support/seal.ts'

/** Values for all parameters of paths; nothing exists under them. */
const path = {
  'payment-product': 'masav',
  paymentId: randomUUID(),
  authorisationId: randomUUID(),
  'account-id': randomUUID(),
  transactionId: randomUUID(),
  consentId: randomUUID(),
  resourceId: randomUUID(),
}

/** What reaches the database. */
const bodies: Readonly<Record<string, object>> = {
  initiatePayment: bill,
  createConsent: consentRequest,
  createMandate: mandateRequest,
  updatePaymentAuthorisation: { psuData: { password: '12345' } },
  updateConsentAuthorisation: { psuData: { password: '12345' } },
}

t.test('what every operation refuses', async (t) => {
  const database = await testEmbedded(t, { seededAt: start })
  const world = await interfaceWorld(t, { database })
  // Certificates are good from now, whatever the clock of the test says.
  world.clock.now = Date.now() + 60_000
  const operations = [...world.catalogue.versions.values()].flatMap((version) =>
    version.operations.map(({ id, method }) => ({
      operation: id,
      version: version.version,
      method,
    })),
  )
  const refusals = (answer: TestAnswer) => [answer.status, codeOf(answer)]

  /** Calls every operation of every version; `only` those with a body. */
  async function everywhere(
    t: Parameters<typeof world.call>[0],
    change: Partial<InterfaceCall>,
    expected: readonly [status: number, code: string],
    only: 'all' | 'with body' = 'all',
  ) {
    for (const { operation, version, method } of operations) {
      if (only === 'with body' && method !== 'POST' && method !== 'PUT') continue
      const headers = { 'consent-id': randomUUID(), 'psu-id': '305567661', ...change.headers }
      const query = operation.endsWith('Transactions')
        ? 'bookingStatus=both&dateFrom=2026-11-01'
        : ''
      const answer = await world.call(t, { operation, version, path, query, ...change, headers })
      t.strictSame(refusals(answer), expected, `${version} ${operation}`)
      const requestId = answer.headers['x-request-id']
      t.match(requestId, /^[0-9a-f-]{36}$/)
    }
  }

  t.test('an X-Request-ID that is not a UUID', async (t) => {
    await everywhere(t, { headers: { 'x-request-id': 'no-uuid' } }, [400, 'FORMAT_ERROR'])
  })

  t.test('a media type that cannot be answered', async (t) => {
    const headers = { accept: 'application/xml' }
    await everywhere(t, { headers }, [406, 'REQUESTED_FORMATS_INVALID'])
  })

  t.test('a body of another media type', async (t) => {
    const change = { headers: { 'content-type': 'application/xml' }, body: '<Document/>' }
    await everywhere(t, change, [415, 'FORMAT_ERROR'], 'with body')
  })

  t.test('a digest or a signature that does not hold', async (t) => {
    const { key, certificate } = createSeal(t, 'ec')
    const requestId = randomUUID()
    const covered = {
      digest: `SHA-256=${createHash('sha256').update('').digest('base64')}`,
      'x-request-id': requestId,
      'psu-id': '305567661',
    }
    const seal = { ...covered, 'tpp-signature-certificate': certificate }
    const signature = signatureOf(covered, key)
    const wrongDigest = { digest: 'SHA-256=2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }
    await everywhere(t, { headers: wrongDigest }, [401, 'SIGNATURE_INVALID'])
    const moved = { ...seal, signature, 'psu-id': '123456782' }
    await everywhere(t, { headers: moved }, [401, 'SIGNATURE_INVALID'])
    await everywhere(t, { headers: { ...covered, signature } }, [401, 'CERTIFICATE_MISSING'])
    await everywhere(t, { headers: seal }, [401, 'SIGNATURE_MISSING'])
    const broken = { ...seal, signature, 'tpp-signature-certificate': 'MIIB' }
    await everywhere(t, { headers: broken }, [401, 'CERTIFICATE_INVALID'])
    const dated = { ...covered, date: 'Sun, 06 Nov 1994 08:49:37 GMT' }
    const old = { ...seal, ...dated, signature: signatureOf(dated, key) }
    await everywhere(t, { headers: old }, [400, 'TIMESTAMP_INVALID'])
    world.clock.now += 2 * 86_400_000
    await everywhere(t, { headers: { ...seal, signature } }, [401, 'CERTIFICATE_EXPIRED'])
  })

  t.test(
    'a mistake inside, and a database that is away, without a word of what it is',
    async (t) => {
      const schema = (from: string, to: string) =>
        sql`alter schema ${sql.id(from)} rename to ${sql.id(to)}`.execute(world.database.connect())
      const secret = /bank_away|relation|connect|sql/i
      const inside = async (status: number, code: string) => {
        for (const { operation, version } of operations) {
          const headers = { 'consent-id': randomUUID(), 'psu-id': '305567661' }
          const query = operation.endsWith('Transactions')
            ? 'bookingStatus=both&dateFrom=2026-11-01'
            : ''
          const body = bodies[operation]
          const call = { operation, version, path, query, headers }
          const answer = await world.call(t, body === undefined ? call : { ...call, body })
          t.strictSame(refusals(answer), [status, code], `${version} ${operation}`)
          t.notMatch(JSON.stringify(answer.body), secret)
        }
      }
      await schema('bank', 'bank_away')
      await inside(500, 'INTERNAL_SERVER_ERROR')
      await schema('bank_away', 'bank')
      await database.stop()
      await inside(503, 'SERVICE_UNAVAILABLE')
    },
  )
})
