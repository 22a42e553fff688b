import t from 'tap'
import { readCertificate } from '../../src/certificates/certificate.ts'
import { makeAuthority, makeRevocationList } from '../../src/certificates/make.ts'
import { readRevocationList, readRevocationLists } from '../../src/certificates/revocation-list.ts'
import { createAuthority } from '../support/authority.ts'

const day = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000

t.test('a file has one list in DER, or several in PEM between comments', async (t) => {
  const [one, two] = [createAuthority(t), createAuthority(t)]
  const revoked = one.issue()
  const first = one.revocationList([revoked])
  const pem = `# first\n${first}\nand the second:\n${two.revocationList()}`
  const lists = readRevocationLists(Buffer.from(pem))
  t.same(
    lists.map(({ size }) => size),
    [1, 0],
  )
  t.ok(lists[0]?.has(revoked.certificate.x509.serialNumber))
  t.notOk(lists[0]?.has(one.issue().certificate.x509.serialNumber))
  const der = Buffer.from(first.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64')
  t.same(
    readRevocationLists(der).map(({ size }) => size),
    [1],
  )
  t.same(readRevocationLists(Buffer.from('no list')), [])
})

t.test('a list holds only with the key of its authority', async (t) => {
  const [one, two] = [createAuthority(t), createAuthority(t)]
  const [list] = readRevocationLists(Buffer.from(one.revocationList()))
  t.equal(list?.isSignedBy(one.certificate.x509.publicKey), true)
  t.equal(list?.isSignedBy(two.certificate.x509.publicKey), false)
  const rsa = createAuthority(t, { newKey: ['-newkey', 'rsa:2048'] })
  t.equal(list?.isSignedBy(rsa.certificate.x509.publicKey), false, 'a key of another kind')
  const [other] = readRevocationLists(Buffer.from(rsa.revocationList()))
  t.equal(other?.isSignedBy(rsa.certificate.x509.publicKey), true)
})

t.test('what is no complete list of one authority is refused, and says why', async (t) => {
  for (const source of ['', 'x', Buffer.alloc(100, 0x30)]) {
    t.throws(() => readRevocationList(Buffer.from(source)), {
      name: 'RevocationListUnusable',
      message: /is not a certificate revocation list/,
    })
  }
  const authority = createAuthority(t)
  t.throws(() => readRevocationList(authority.certificate.x509.raw), {
    name: 'RevocationListUnusable',
  })
})

t.test('of ten thousand entries each is found', async (t) => {
  const issuer = await makeAuthority({
    subject: { cn: 'Busy' },
    validFrom: now,
    validUntil: now + day,
  })
  const revoked = Array.from({ length: 10_000 }, (_, index) => ({
    serial: (0x7f_00_00_00 + index).toString(16),
    at: now,
  }))
  const der = await makeRevocationList({
    issuer,
    revoked,
    number: 1,
    thisUpdate: now,
    nextUpdate: now + day,
  })
  const list = readRevocationList(der)
  t.equal(list.size, 10_000)
  t.ok(revoked.every(({ serial }) => list.has(serial.toUpperCase())))
  t.ok(list.isSignedBy(readCertificate(issuer.certificate).x509.publicKey))
})
