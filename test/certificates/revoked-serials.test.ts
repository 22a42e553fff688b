import * as asn1js from 'asn1js'
import { CertificateRevocationList } from 'pkijs'
import t from 'tap'
import { readCertificate } from '../../src/certificates/certificate.ts'
import { makeAuthority, makeRevocationList } from '../../src/certificates/make.ts'
import { type RevocationList, readRevocationList } from '../../src/certificates/revocation-list.ts'
import { scanRevocationList } from '../../src/certificates/revoked-serials.ts'
import { createAuthority, openssl } from '../support/authority.ts'
import { draw } from '../support/draw.ts'

const now = Math.floor(Date.now() / 1000) * 1000
const dates = { validFrom: now - 1000, validUntil: now + 86_400_000 }
const issuer = await makeAuthority({ subject: { cn: 'Random' }, ...dates })
const key = readCertificate(issuer.certificate).x509.publicKey

function make(serials: readonly string[]): Promise<Buffer> {
  const revoked = serials.map((serial) => ({ serial, at: now - draw(1e9) * 1000 }))
  const { validUntil: nextUpdate } = dates
  return makeRevocationList({ issuer, revoked, number: 1, thisUpdate: now, nextUpdate })
}

/** What the library finds; undefined: it refuses the list. */
function byLibrary(der: Buffer): { serials: string[]; signed: Buffer } | undefined {
  try {
    const { offset, result } = asn1js.fromBER(der, { maxNodes: 1_000_000 })
    if (offset !== der.length) return undefined
    const list = new CertificateRevocationList({ schema: result })
    const serials = (list.revokedCertificates ?? []).map(({ userCertificate }) =>
      Buffer.from(userCertificate.valueBlock.valueHexView).toString('hex'),
    )
    return { serials: [...new Set(serials)], signed: Buffer.from(list.tbsView) }
  } catch {
    return undefined
  }
}

function scan(der: Buffer) {
  const { serials, signed } = scanRevocationList(der)
  return { serials: [...serials], signed }
}

t.test('random lists are read as a library reads them', async (t) => {
  for (const size of [0, 1, 2, 5, 50, 500]) {
    const serials = Array.from({ length: size }, () =>
      Buffer.from(Array.from({ length: 1 + draw(19) }, () => draw(256))).toString('hex'),
    )
    const der = await make(serials)
    t.same(scan(der), byLibrary(der), `${size} entries`)
    const list = readRevocationList(der)
    t.ok(serials.every((serial) => list.has(serial)))
    t.ok(list.isSignedBy(key))
    t.same([list.thisUpdate, list.nextUpdate], [now, dates.validUntil])
  }
})

t.test('entries with reasons and dates are read as openssl wrote them', async (t) => {
  const authority = createAuthority(t)
  const one = authority.issue()
  const pem = authority.revocationList([one], { reason: 'keyCompromise' })
  t.match(openssl(['crl', '-noout', '-text'], pem), /Key Compromise/)
  const der = Buffer.from(pem.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64')
  t.same(scan(der), byLibrary(der))
  const list = readRevocationList(der)
  t.ok(list.has(one.certificate.x509.serialNumber))
  t.ok(list.isSignedBy(authority.certificate.x509.publicKey))
})

t.test(
  'a list with one wrong bit is refused, or its signature is wrong, or it reads as before; a cut one is refused',
  async (t) => {
    const der = await make(['01', '7fff', '8000000001'])
    let refused = 0
    const read = (damaged: Buffer): RevocationList | undefined => {
      try {
        return readRevocationList(damaged)
      } catch (error) {
        t.match(error, { name: 'RevocationListUnusable' })
        refused += 1
        return undefined
      }
    }
    for (let at = 0; at < der.length; at += 1) {
      for (const bit of [0x01, 0x02, 0x20, 0x80]) {
        const damaged = Buffer.from(der)
        damaged[at] = (damaged[at] ?? 0) ^ bit
        const list = read(damaged)
        if (list === undefined) continue
        if (list.isSignedBy(key)) t.same(scan(damaged), scan(der), `octet ${at}, bit ${bit}`)
        const library = byLibrary(damaged)
        // The library reads the dates of entries, too.
        if (library !== undefined) t.same(scan(damaged), library, `octet ${at}, bit ${bit}`)
      }
      t.equal(read(der.subarray(0, at)), undefined)
    }
    t.equal(read(Buffer.concat([der, Buffer.from([0])])), undefined)
    t.ok(refused > der.length)
  },
)

/** A list with this in place of its entries, unsigned. */
async function withEntries(...entries: readonly asn1js.AsnType[]): Promise<Buffer> {
  const { result } = asn1js.fromBER(await make(['01']))
  if (!(result instanceof asn1js.Sequence)) throw new Error('no list')
  const [signed] = result.valueBlock.value
  if (!(signed instanceof asn1js.Sequence)) throw new Error('no list')
  signed.valueBlock.value.splice(5, 1, new asn1js.Sequence({ value: [...entries] }))
  return Buffer.from(result.toBER())
}

t.test(
  'malformed entries and unknown critical extensions are refused, others are read',
  async (t) => {
    const serial = () => new asn1js.Integer({ value: 5 })
    const date = () => new asn1js.UTCTime({ valueDate: new Date(now) })
    const entry = (...value: asn1js.AsnType[]) => new asn1js.Sequence({ value })
    const extension = (...value: asn1js.AsnType[]) =>
      entry(serial(), date(), entry(entry(...value)))
    const id = (value: string) => new asn1js.ObjectIdentifier({ value })
    const octets = () => new asn1js.OctetString({ valueHex: new Uint8Array([5, 0]) })
    const critical = (value: boolean) => new asn1js.Boolean({ value })
    const noList = /is not a certificate revocation list/
    for (const [name, value, message] of [
      ['no sequence', serial(), noList],
      ['nothing in it', entry(), noList],
      ['no date', entry(serial()), noList],
      ['the date first', entry(date(), serial()), noList],
      ['no serial number', entry(octets(), date()), noList],
      ['something behind', entry(serial(), date(), entry(), serial()), noList],
      ['no extensions', entry(serial(), date(), serial()), noList],
      ['an extension without a value', extension(id('1.2.3')), noList],
      ['an extension without an id', extension(octets()), noList],
      ['a critical one', extension(id('2.5.29.29'), critical(true), octets()), /2\.5\.29\.29/],
    ] as const) {
      const der = await withEntries(value)
      t.throws(() => readRevocationList(der), { name: 'RevocationListUnusable', message }, name)
    }
    for (const harmless of [
      extension(id('2.5.29.21'), critical(true), octets()),
      extension(id('2.5.29.29'), critical(false), octets()),
      extension(id('2.5.29.29'), octets()),
    ]) {
      t.equal(readRevocationList(await withEntries(harmless)).has('05'), true)
    }
  },
)
