import { createHash, randomUUID } from 'node:crypto'
import t from 'tap'
import { BankError } from '../../src/backend/bank-error.ts'
import { checkSignature } from '../../src/backend/signature.ts'
import { createSeal, signatureOf } from '../support/seal.ts'

type Fields = Record<string, string>

function codeOf(headers: Fields, now = Date.now()): string | undefined {
  try {
    checkSignature(headers, { now, isRequired: false })
    return undefined
  } catch (error) {
    if (error instanceof BankError && error.status === 401) return error.code
    throw error
  }
}

for (const kind of ['rsa', 'ec'] as const) {
  t.test(`a request signed with ${kind} passes as it was signed, and only so`, async (t) => {
    const { key, certificate } = createSeal(t, kind)
    const covered = {
      digest: `SHA-256=${createHash('sha256').update('{}').digest('base64')}`,
      'psu-id': '305567661',
      'x-request-id': randomUUID(),
    }
    const seal = { 'tpp-signature-certificate': certificate }
    const good = { ...covered, ...seal, signature: signatureOf(covered, key) }
    t.equal(codeOf(good), undefined)
    t.equal(codeOf(covered), undefined, 'neither signature nor certificate')
    t.equal(codeOf({ ...good, 'psu-id': '123456782' }), 'SIGNATURE_INVALID')
    t.equal(
      codeOf({ ...good, 'tpp-redirect-uri': 'https://evil.example' }),
      'SIGNATURE_INVALID',
      'what must be covered is not',
    )
    const without = signatureOf(covered, key, ['x-request-id', 'psu-id'])
    t.equal(codeOf({ ...good, signature: without }), 'SIGNATURE_INVALID')
    t.equal(codeOf({ ...good, signature: 'nonsense' }), 'SIGNATURE_INVALID')
    const { digest: _, ...undigested } = good
    t.equal(codeOf(undigested), 'SIGNATURE_INVALID')
    const other = createSeal(t, kind)
    t.equal(
      codeOf({ ...good, 'tpp-signature-certificate': other.certificate }),
      'SIGNATURE_INVALID',
    )
    const { signature: _signature, ...unsigned } = good
    t.equal(codeOf(unsigned), 'SIGNATURE_MISSING')
    t.equal(codeOf({ ...covered, signature: good.signature }), 'CERTIFICATE_MISSING')
    t.throws(
      () => checkSignature(covered, { now: Date.now(), isRequired: true }),
      {
        code: 'CERTIFICATE_MISSING',
        messages: [{ text: /strict.*switch off "Signed calls only"/ }],
      },
      'a strict application learns why',
    )
    t.equal(codeOf({ ...good, 'tpp-signature-certificate': 'MIIB' }), 'CERTIFICATE_INVALID')
    const twice = signatureOf(covered, key, [...Object.keys(covered), 'psu-id'])
    t.equal(codeOf({ ...good, signature: twice }), 'SIGNATURE_INVALID', 'a field twice')
    const day = 86_400_000
    t.equal(codeOf(good, Date.now() + 2 * day), 'CERTIFICATE_EXPIRED')
    t.equal(codeOf(good, Date.now() - 2 * day), 'CERTIFICATE_INVALID')
  })
}

t.test('a certificate whose key cannot be read is refused', async (t) => {
  const { key, certificate } = createSeal(t, 'ec')
  const base64 = certificate.replaceAll(/-----[A-Z ]+-----/g, '')
  // Another last byte in the identifier of the curve makes it an unknown curve.
  const der = Buffer.from(base64, 'base64').toString('latin1')
  const odd = der.replace('\x2a\x86\x48\xce\x3d\x03\x01\x07', '\x2a\x86\x48\xce\x3d\x03\x01\x7f')
  t.not(odd, der)
  const covered = { digest: 'SHA-256=', 'x-request-id': randomUUID() }
  const seal = { 'tpp-signature-certificate': Buffer.from(odd, 'latin1').toString('base64') }
  const signature = signatureOf(covered, key)
  t.equal(codeOf({ ...covered, ...seal, signature }), 'CERTIFICATE_INVALID')
})
