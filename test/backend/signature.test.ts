import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { BankError } from '../../src/backend/bank-error.ts'
import { checkSignature } from '../../src/backend/signature.ts'

type Fields = Record<string, string>

/** A self-signed certificate, good for a day from now, made by openssl. */
function createSeal(kind: 'rsa' | 'ec'): { key: KeyObject; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tg-seal-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, name)
  const newKey =
    kind === 'rsa'
      ? ['-newkey', 'rsa:2048']
      : ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const subject = ['-nodes', '-days', '1', '-subj', '/CN=Sandbox TPP']
  const files = ['-keyout', path('key.pem'), '-out', path('certificate.pem')]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...subject, ...files], { stdio: 'ignore' })
  return {
    key: createPrivateKey(readFileSync(path('key.pem'))),
    certificate: readFileSync(path('certificate.pem'), 'utf8').replaceAll('\n', ''),
  }
}

function signed(headers: Fields, key: KeyObject, names = Object.keys(headers)): string {
  const text = names.map((name) => `${name}: ${headers[name]}`).join('\n')
  const signature = sign('sha256', Buffer.from(text), key).toString('base64')
  return `keyId="SN=1,CA=CN=Sandbox",algorithm="sha-256",headers="${names.join(' ')}",signature="${signature}"`
}

function codeOf(headers: Fields, now = Date.now()): string | undefined {
  try {
    checkSignature(headers, now)
    return undefined
  } catch (error) {
    if (error instanceof BankError && error.status === 401) return error.code
    throw error
  }
}

for (const kind of ['rsa', 'ec'] as const) {
  t.test(`a request signed with ${kind} passes as it was signed, and only so`, async (t) => {
    const { key, certificate } = createSeal(kind)
    const covered = {
      digest: `SHA-256=${createHash('sha256').update('{}').digest('base64')}`,
      'psu-id': '305567661',
      'x-request-id': randomUUID(),
    }
    const seal = { 'tpp-signature-certificate': certificate }
    const good = { ...covered, ...seal, signature: signed(covered, key) }
    t.equal(codeOf(good), undefined)
    t.equal(codeOf(covered), undefined, 'neither signature nor certificate')
    t.equal(codeOf({ ...good, 'psu-id': '123456782' }), 'SIGNATURE_INVALID')
    t.equal(
      codeOf({ ...good, 'tpp-redirect-uri': 'https://evil.example' }),
      'SIGNATURE_INVALID',
      'what must be covered is not',
    )
    const without = signed(covered, key, ['x-request-id', 'psu-id'])
    t.equal(codeOf({ ...good, signature: without }), 'SIGNATURE_INVALID')
    t.equal(codeOf({ ...good, signature: 'nonsense' }), 'SIGNATURE_INVALID')
    const { digest: _, ...undigested } = good
    t.equal(codeOf(undigested), 'SIGNATURE_INVALID')
    const other = createSeal(kind)
    t.equal(
      codeOf({ ...good, 'tpp-signature-certificate': other.certificate }),
      'SIGNATURE_INVALID',
    )
    const { signature: _signature, ...unsigned } = good
    t.equal(codeOf(unsigned), 'SIGNATURE_MISSING')
    t.equal(codeOf({ ...covered, signature: good.signature }), 'CERTIFICATE_MISSING')
    t.equal(codeOf({ ...good, 'tpp-signature-certificate': 'MIIB' }), 'CERTIFICATE_INVALID')
    const twice = signed(covered, key, [...Object.keys(covered), 'psu-id'])
    t.equal(codeOf({ ...good, signature: twice }), 'SIGNATURE_INVALID', 'a field twice')
    const day = 86_400_000
    t.equal(codeOf(good, Date.now() + 2 * day), 'CERTIFICATE_EXPIRED')
    t.equal(codeOf(good, Date.now() - 2 * day), 'CERTIFICATE_INVALID')
  })
}

t.test('a certificate whose key cannot be read is refused', async (t) => {
  const { key, certificate } = createSeal('ec')
  const base64 = certificate.replaceAll(/-----[A-Z ]+-----/g, '')
  // Another last byte of the identifier of the curve: nobody knows that one.
  const der = Buffer.from(base64, 'base64').toString('latin1')
  const odd = der.replace('\x2a\x86\x48\xce\x3d\x03\x01\x07', '\x2a\x86\x48\xce\x3d\x03\x01\x7f')
  t.not(odd, der)
  const covered = { digest: 'SHA-256=', 'x-request-id': randomUUID() }
  const seal = { 'tpp-signature-certificate': Buffer.from(odd, 'latin1').toString('base64') }
  const signature = signed(covered, key)
  t.equal(codeOf({ ...covered, ...seal, signature }), 'CERTIFICATE_INVALID')
})
