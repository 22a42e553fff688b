import t from 'tap'
import { readCertificate } from '../../src/certificates/certificate.ts'
import { judgeCertificate } from '../../src/certificates/judge.ts'
import { readRevocationLists } from '../../src/certificates/revocation-list.ts'
import {
  authorityExtensions,
  createAuthority,
  described,
  opensslVerify,
  qsealExtensions,
  qwacExtensions,
  type TestCertificate,
} from '../support/authority.ts'

const day = 86_400_000
const now = Date.now() + 3_600_000

interface Given {
  readonly leaf: Pick<TestCertificate, 'pem' | 'certificate'>
  readonly anchors: readonly Pick<TestCertificate, 'pem' | 'certificate'>[]
  readonly intermediates?: readonly Pick<TestCertificate, 'pem' | 'certificate'>[]
  /** PEM. */
  readonly lists?: readonly string[]
  readonly at?: number
  readonly use?: 'tls' | 'signing'
}

function judge({ leaf, anchors, intermediates = [], lists, at = now, use = 'tls' }: Given) {
  return judgeCertificate({
    certificate: leaf.certificate,
    intermediates: intermediates.map(({ certificate }) => certificate),
    trusts: [
      {
        anchors: anchors.map(({ certificate }) => certificate),
        lists: lists?.flatMap((list) => readRevocationLists(Buffer.from(list))),
      },
    ],
    use,
    nowMs: at,
  })
}

const root = createAuthority(t)
const middle = root.authority()
const leaf = middle.issue()
const pathEnd = root.authority({
  extensions: [
    'basicConstraints = critical, CA:TRUE, pathlen:0',
    ...authorityExtensions.slice(1),
    'authorityKeyIdentifier = keyid',
  ],
})
const tooDeep = pathEnd.authority()
const notAuthority = root.authority({ extensions: ['keyUsage = critical, keyCertSign'] })
const mayNotSign = root.authority({
  extensions: ['basicConstraints = critical, CA:TRUE', 'keyUsage = critical, cRLSign'],
})
/** An ordinary client whose key signs a certificate. */
const client = root.authority({ extensions: qwacExtensions('AI') })
const below = (...lines: string[]) =>
  root.authority({
    extensions: [...authorityExtensions, 'authorityKeyIdentifier = keyid', ...lines],
  })
const constrained = (names: string) =>
  below('nameConstraints = permitted;dirName:names', '[names]', names)
const forMail = below('extendedKeyUsage = emailProtection')
const forClients = below('extendedKeyUsage = clientAuth, emailProtection')
const forAnything = below('extendedKeyUsage = anyExtendedKeyUsage')
const forOthers = constrained('O = Only this')
const shortLived = root.authority({ days: 10 })
const namesake = createAuthority(t, { subject: `/${root.certificate.x509.subject}` })
const rsa = (bits: number) => ['-newkey', `rsa:${bits}`]
const revoked = middle.issue()
const revokedMiddle = root.authority()
const quiet = [root.revocationList(), middle.revocationList()]

/** Situations, what is decided, and whether openssl's own verification agrees. */
const situations: Readonly<Record<string, Given & { readonly outcome: string }>> = {
  'a chain over an authority that came along': {
    leaf,
    anchors: [root],
    intermediates: [middle],
    outcome: 'valid',
  },
  'an authority below a root that is itself trusted': {
    leaf,
    anchors: [middle],
    outcome: 'valid',
  },
  'further certificates that have nothing to do with it': {
    leaf,
    anchors: [root],
    intermediates: [namesake, leaf, pathEnd, middle],
    outcome: 'valid',
  },
  'an authority between that is missing': { leaf, anchors: [root], outcome: 'invalid' },
  'another authority': { leaf, anchors: [namesake], intermediates: [middle], outcome: 'invalid' },
  'an authority of the same name with another key': {
    leaf: root.issue(),
    anchors: [namesake],
    outcome: 'invalid',
  },
  'no authority but itself': {
    leaf: createAuthority(t, { extensions: qwacExtensions('AI') }),
    anchors: [root],
    outcome: 'invalid',
  },
  'a certificate at its last day': {
    leaf,
    anchors: [root],
    intermediates: [middle],
    at: now + 89 * day,
    outcome: 'valid',
  },
  'a certificate past its end': {
    leaf: root.issue({ days: 5 }),
    anchors: [root],
    at: now + 6 * day,
    outcome: 'expired',
  },
  'a certificate before its begin': {
    leaf,
    anchors: [middle],
    at: now - 2 * day,
    outcome: 'invalid',
  },
  'an authority between past its end': {
    leaf: shortLived.issue(),
    anchors: [root],
    intermediates: [shortLived],
    at: now + 11 * day,
    outcome: 'invalid',
  },
  'an authority between that is none': {
    leaf: notAuthority.issue(),
    anchors: [root],
    intermediates: [notAuthority],
    outcome: 'invalid',
  },
  'an authority between that may not sign certificates': {
    leaf: mayNotSign.issue(),
    anchors: [root],
    intermediates: [mayNotSign],
    outcome: 'invalid',
  },
  'an authority between that is for email alone': {
    leaf: forMail.issue(),
    anchors: [root],
    intermediates: [forMail],
    outcome: 'invalid',
  },
  'an authority for email alone that is itself trusted': {
    leaf: forMail.issue(),
    anchors: [forMail],
    outcome: 'invalid',
  },
  'an authority between that is for TLS clients, too': {
    leaf: forClients.issue(),
    anchors: [root],
    intermediates: [forClients],
    outcome: 'valid',
  },
  'an authority between for other names, which is not critical': {
    leaf: forOthers.issue(),
    anchors: [root],
    intermediates: [forOthers],
    outcome: 'invalid',
  },
  'the last authority of a path': {
    leaf: pathEnd.issue(),
    anchors: [root],
    intermediates: [pathEnd],
    outcome: 'valid',
  },
  'an authority behind the last one of a path': {
    leaf: tooDeep.issue(),
    anchors: [root],
    intermediates: [tooDeep, pathEnd],
    outcome: 'invalid',
  },
  'a certificate of a client that issues another one': {
    leaf: client.issue(),
    anchors: [root],
    intermediates: [client],
    outcome: 'invalid',
  },
  'an unknown critical extension': {
    leaf: root.issue({ extensions: ['1.2.3.4 = critical, ASN1:NULL', ...qwacExtensions('AI')] }),
    anchors: [root],
    outcome: 'invalid',
  },
  'a signature with SHA-1': {
    leaf: root.issue({ digest: 'sha1' }),
    anchors: [root],
    outcome: 'invalid',
  },
  'a key of 1,024 bits': {
    leaf: root.issue({ newKey: rsa(1024) }),
    anchors: [root],
    outcome: 'invalid',
  },
  'a key of 2,048 bits': {
    leaf: root.issue({ newKey: rsa(2048) }),
    anchors: [root],
    outcome: 'valid',
  },
  'a certificate for servers only': {
    leaf: root.issue({ extensions: ['extendedKeyUsage = serverAuth'] }),
    anchors: [root],
    outcome: 'invalid',
  },
  'a key that may not sign': {
    leaf: root.issue({ extensions: ['keyUsage = keyEncipherment'] }),
    anchors: [root],
    outcome: 'invalid',
  },
  'current lists without it': {
    leaf,
    anchors: [root],
    intermediates: [middle],
    lists: quiet,
    outcome: 'valid',
  },
  'a list with it': {
    leaf: revoked,
    anchors: [root],
    intermediates: [middle],
    lists: [root.revocationList(), middle.revocationList([revoked])],
    outcome: 'revoked',
  },
  'a list with the authority above it': {
    leaf: revokedMiddle.issue(),
    anchors: [root],
    intermediates: [revokedMiddle],
    lists: [root.revocationList([revokedMiddle]), revokedMiddle.revocationList()],
    outcome: 'revoked',
  },
  'lists of which its issuer has none': {
    leaf,
    anchors: [root],
    intermediates: [middle],
    lists: [root.revocationList()],
    outcome: 'unchecked',
  },
  'lists past their end': {
    leaf,
    anchors: [root],
    intermediates: [middle],
    lists: quiet,
    at: now + 2 * day,
    outcome: 'unchecked',
  },
  'a list that a namesake of the issuer signed': {
    leaf: root.issue(),
    anchors: [root],
    lists: [namesake.revocationList()],
    outcome: 'unchecked',
  },
}

for (const [name, { outcome, ...given }] of Object.entries(situations)) {
  t.test(`${name}: ${outcome}, and openssl agrees`, async (t) => {
    const verdict = judge(given)
    t.equal(verdict.outcome, outcome, JSON.stringify(verdict))
    const { isValid, text } = opensslVerify(t, {
      pem: given.leaf.pem,
      anchors: given.anchors.map(({ pem }) => pem),
      intermediates: given.intermediates?.map(({ pem }) => pem) ?? [],
      ...(given.lists === undefined ? {} : { lists: given.lists }),
      at: given.at ?? now,
    })
    t.equal(isValid, outcome === 'valid', text)
  })
}

t.test('the reason says what is wrong with the issuer', async (t) => {
  const reasonFor = (middle: typeof root, issued = middle.issue()) => {
    const verdict = judge({ leaf: issued, anchors: [root], intermediates: [middle] })
    return verdict.outcome === 'valid' ? '' : verdict.reason
  }
  t.match(reasonFor(forMail), /Its issuer .*not for TLS clients \(extendedKeyUsage\)/)
  t.match(reasonFor(constrained('C = PL')), /Its issuer .*name constraints, .* not supported/)
  t.match(reasonFor(notAuthority), /Its issuer .*may not issue certificates/)
})

t.test('an authority between that is for anything issues QWACs', async (t) => {
  // RFC 5280, 4.2.1.12; openssl 3.0 does not accept it.
  const given = { leaf: forAnything.issue(), anchors: [root], intermediates: [forAnything] }
  t.equal(judge(given).outcome, 'valid')
})

t.test('an authority for email alone may issue seals', async (t) => {
  const seal = forMail.issue({ extensions: qsealExtensions('AI') })
  const given = { leaf: seal, anchors: [root], intermediates: [forMail] }
  t.equal(judge({ ...given, use: 'signing' }).outcome, 'valid')
})

t.test('a QWAC connects and a QSealC signs, and neither does the other', async (t) => {
  const seal = root.issue({ extensions: qsealExtensions('PI') })
  const qwac = root.issue()
  const plain = root.issue({ extensions: ['keyUsage = digitalSignature'] })
  const anchors = [root]
  t.equal(judge({ leaf: qwac, anchors }).outcome, 'valid')
  t.equal(judge({ leaf: seal, anchors, use: 'signing' }).outcome, 'valid')
  t.match(judge({ leaf: seal, anchors }), { outcome: 'invalid', reason: /not a QWAC/ })
  t.match(judge({ leaf: qwac, anchors, use: 'signing' }), { reason: /not a QSealC/ })
  for (const use of ['tls', 'signing'] as const) {
    t.equal(judge({ leaf: plain, anchors, use }).outcome, 'valid', 'without qualified statements')
  }
})

t.test('roles and authorisation number are read as openssl wrote them', async (t) => {
  const of = (...roles: ('AS' | 'PI' | 'AI' | 'IC')[]) => {
    const verdict = judge({
      leaf: root.issue({ extensions: qwacExtensions(...roles) }),
      anchors: [root],
    })
    return verdict.outcome === 'valid' ? verdict.extensions : undefined
  }
  t.match(of('AI'), {
    psd2: {
      roles: ['PSP_AI'],
      authorityName: 'Polish Financial Supervision Authority',
      authorityId: 'PL-PFSA',
    },
    organizationIdentifier: 'PSDPL-PFSA-1234567890',
    qualifiedFor: ['tls'],
  })
  t.same(of('IC', 'AS', 'PI', 'AI')?.psd2?.roles, ['PSP_AS', 'PSP_PI', 'PSP_AI', 'PSP_IC'])
  const bare = judge({ leaf: root.issue({ extensions: [], subject: '/CN=x' }), anchors: [root] })
  t.match(bare, {
    outcome: 'valid',
    extensions: { psd2: undefined, organizationIdentifier: undefined },
  })
})

t.test('a renewed authority counts although its predecessor has expired', async (t) => {
  const old = createAuthority(t, { subject: '/CN=Renewed', days: 5 })
  // The same name, and another key, as after a change of keys.
  const young = createAuthority(t, { subject: '/CN=Renewed' })
  const at = now + 6 * day
  t.equal(judge({ leaf: young.issue(), anchors: [old, young], at }).outcome, 'valid')
  t.equal(judge({ leaf: old.issue(), anchors: [old, young], at }).outcome, 'invalid')
})

t.test('a revocation outlives its list', async (t) => {
  const gone = root.issue()
  const given = { leaf: gone, anchors: [root], lists: [root.revocationList([gone])] }
  t.equal(judge({ ...given, at: now + 30 * day }).outcome, 'revoked')
})

t.test('a verdict ends with the first certificate or list that ends', async (t) => {
  const given = { leaf, anchors: [root], intermediates: [middle] }
  // They were made one after the other, and a second may end between any two.
  const ends = [root, middle, leaf].map(({ certificate }) => certificate.validUntil)
  t.match(judge(given), { until: Math.min(...ends) })
  const under = { leaf: shortLived.issue(), anchors: [root], intermediates: [shortLived] }
  t.match(judge(under), { until: shortLived.certificate.validUntil })
  const sixHours = 6 * 3_600_000
  const begun = Math.floor(Date.now() / 1000) * 1000
  const brief = [root.revocationList([], { hours: 6 }), middle.revocationList()]
  const verdict = judge({ ...given, lists: brief })
  const made = verdict.outcome === 'valid' ? verdict.until - sixHours : 0
  t.ok(made >= begun && made <= Date.now(), `for six hours from ${made}`)
})

t.test(
  'no changed octet of a certificate leaves it valid, and none ends the process',
  async (t) => {
    const { raw } = leaf.certificate.x509
    const found: Record<string, number> = {}
    for (let at = 0; at < raw.length; at += 1) {
      for (const bit of [0x01, 0x80]) {
        const changed = Buffer.from(raw)
        changed[at] = (changed[at] ?? 0) ^ bit
        let outcome = 'unreadable'
        try {
          const certificate = readCertificate(changed)
          outcome = judge({ leaf: { pem: '', certificate }, anchors: [middle] }).outcome
        } catch (error) {
          t.match(error, { name: 'CertificateUnreadable' })
        }
        found[outcome] = (found[outcome] ?? 0) + 1
      }
    }
    t.equal(found['valid'], undefined, JSON.stringify(found))
    t.ok((found['invalid'] ?? 0) > raw.length, JSON.stringify(found))
  },
)

t.test('text that is no certificate is refused by name', async (t) => {
  const { raw } = leaf.certificate.x509
  for (const source of [
    '',
    'x',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    raw.subarray(0, -1),
    Buffer.concat([raw, Buffer.from('x')]),
    Buffer.alloc(20_000, 0x30),
    leaf.key,
  ]) {
    t.throws(() => readCertificate(Buffer.from(source)), { name: 'CertificateUnreadable' })
  }
  t.equal(described(leaf.pem).thumbprint, readCertificate(raw).thumbprint, 'PEM and DER are one')
})
