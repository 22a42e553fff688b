import { createPrivateKey, sign, verify } from 'node:crypto'
import t from 'tap'
import { readCertificate } from '../../src/certificates/certificate.ts'
import { judgeCertificate } from '../../src/certificates/judge.ts'
import {
  makeAuthority,
  makeCertificate,
  makeRevocationList,
  pem,
} from '../../src/certificates/make.ts'
import { readRevocationList } from '../../src/certificates/revocation-list.ts'
import { openssl, opensslVerify } from '../support/authority.ts'

const day = 86_400_000
const now = Math.floor(Date.now() / 1000) * 1000
const dates = { validFrom: now - day, validUntil: now + 90 * day }
const crlUrl = 'http://portal.example/sandbox/authority.crl'
const psd2 = {
  roles: ['PSP_PI', 'PSP_AI'],
  authorityName: 'Sandbox Authority',
  authorityId: 'IL-BOI',
} as const
const subject = {
  c: 'IL',
  o: 'Budget app & Söhne',
  cn: 'Budget app',
  organizationIdentifier: 'PSDIL-BOI-0123456789',
}

const issuer = await makeAuthority({
  ...dates,
  subject: { c: 'IL', o: 'Tollgate sandbox', cn: 'Tollgate sandbox authority' },
})
const authority = pem('CERTIFICATE', issuer.certificate)
const made = {
  tls: await makeCertificate({ ...dates, issuer, subject, use: 'tls', psd2, crlUrl }),
  signing: await makeCertificate({ ...dates, issuer, subject, use: 'signing', psd2, crlUrl }),
}

async function listOf(revoked: Parameters<typeof makeRevocationList>[0]['revoked'], number = 7) {
  const ends = { thisUpdate: now, nextUpdate: now + day }
  return makeRevocationList({ issuer, revoked, number, ...ends })
}

t.test('openssl verifies what was made, with its list, as our own judgement does', async (t) => {
  const list = await listOf([])
  for (const use of ['tls', 'signing'] as const) {
    const certificate = readCertificate(Buffer.from(made[use].certificate))
    const verdict = judgeCertificate({
      certificate,
      intermediates: [],
      use,
      nowMs: now,
      trusts: [
        {
          anchors: [readCertificate(issuer.certificate)],
          lists: [readRevocationList(list)],
        },
      ],
    })
    t.match(verdict, {
      outcome: 'valid',
      extensions: { psd2, qualifiedFor: [use], organizationIdentifier: 'PSDIL-BOI-0123456789' },
    })
  }
  const { isValid, text } = opensslVerify(t, {
    pem: made.tls.certificate,
    anchors: [authority],
    at: now,
    lists: [pem('X509 CRL', list)],
  })
  t.ok(isValid, text)
})

t.test('openssl shows names, dates, use and the statements of ETSI TS 119 495', async (t) => {
  const text = (use: keyof typeof made) =>
    openssl(['x509', '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus'], made[use].certificate)
  const qwac = text('tls')
  for (const shown of [
    'Version: 3 (0x2)',
    'Signature Algorithm: ecdsa-with-SHA256',
    // A + in place of a comma would be names of one level (RFC 5280, 4.1.2.4).
    'Subject: C=IL,O=Budget app & Söhne,organizationIdentifier=PSDIL-BOI-0123456789,CN=Budget app\n',
    'Issuer: C=IL,O=Tollgate sandbox,CN=Tollgate sandbox authority\n',
    'CA:FALSE',
    'TLS Web Client Authentication',
    `URI:${crlUrl}`,
    'Policy: 0.4.0.19495.3.1',
  ]) {
    t.ok(qwac.includes(shown), `${shown} in ${qwac}`)
  }
  t.match(text('signing'), /Digital Signature, Non Repudiation[\s\S]*Policy: 0\.4\.0\.194112\.1\.1/)

  // The extension's octet string, parsed by itself.
  const dump = openssl(['asn1parse'], made.tls.certificate)
  const offset = /(\d+):d=\d+ .*\n.*qcStatements\n\s*(\d+):d=/.exec(dump)?.[2] ?? ''
  const statements = openssl(['asn1parse', '-strparse', offset], made.tls.certificate)
  const found = [...statements.matchAll(/(OBJECT|UTF8STRING)\s+:(.*)/g)].map(([, , value]) => value)
  t.same(found, [
    '0.4.0.1862.1.1',
    '0.4.0.1862.1.6',
    '0.4.0.1862.1.6.3',
    '0.4.0.19495.2',
    '0.4.0.19495.1.2',
    'PSP_PI',
    '0.4.0.19495.1.3',
    'PSP_AI',
    'Sandbox Authority',
    'IL-BOI',
  ])
})

t.test('the key is that of the certificate, and each one has its own', async (t) => {
  const octets = Buffer.from('to sign')
  const key = createPrivateKey(made.signing.privateKey)
  const { publicKey } = readCertificate(Buffer.from(made.signing.certificate)).x509
  t.ok(verify('sha256', octets, publicKey, sign('sha256', octets, key)))
  t.not(made.tls.privateKey, made.signing.privateKey)
  const serials = Object.values(made).map(
    ({ certificate }) => readCertificate(Buffer.from(certificate)).x509.serialNumber,
  )
  t.equal(new Set(serials).size, 2)
})

t.test(
  'openssl and our own judgement find a certificate in the list that revokes it',
  async (t) => {
    const certificate = readCertificate(Buffer.from(made.tls.certificate))
    const list = await listOf([{ serial: certificate.x509.serialNumber, at: now }])
    const { isValid, text: said } = opensslVerify(t, {
      pem: made.tls.certificate,
      anchors: [authority],
      at: now,
      lists: [pem('X509 CRL', list)],
    })
    t.notOk(isValid)
    t.match(said, /certificate revoked/)
    const shown = openssl(['crl', '-noout', '-text'], pem('X509 CRL', list))
    t.match(shown, /Version 2[\s\S]*X509v3 CRL Number:\s+7[\s\S]*Serial Number: /)
    t.ok(readRevocationList(list).has(certificate.x509.serialNumber))
    t.notOk(readRevocationList(await listOf([])).has(certificate.x509.serialNumber))
  },
)

t.test('dates after 2049 are written as RFC 5280 wants them', async (t) => {
  const late = { validFrom: now, validUntil: Date.UTC(2060, 0, 1) }
  const { certificate } = await makeAuthority({ ...late, subject: { cn: 'Late' } })
  t.equal(readCertificate(certificate).validUntil, late.validUntil)
  t.match(
    openssl(['asn1parse'], pem('CERTIFICATE', certificate)),
    /GENERALIZEDTIME\s+:20600101000000Z/,
  )
})
