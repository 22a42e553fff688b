import { execFileSync } from 'node:child_process'
import t from 'tap'
import { type Issuer, makeAuthority, makeRevocationList, pem } from '../../src/certificates/make.ts'
import { readTrust } from '../../src/certificates/trust.ts'
import { authorityExtensions, createAuthority } from '../support/authority.ts'

const [one, two] = [createAuthority(t), createAuthority(t)]
const read = (...files: string[]) => readTrust(files.map((file) => Buffer.from(file)))

t.test('the files of the operator say whom to trust, and what is revoked', async (t) => {
  const { anchors, lists } = read(`${one.pem}# the second\n${two.pem}`, one.revocationList())
  t.same(
    anchors.map(({ thumbprint }) => thumbprint),
    [one.thumbprint, two.thumbprint],
  )
  t.equal(lists?.length, 1)
  t.equal(read(one.pem).lists, undefined, 'without the second file, revocation is not checked')
})

t.test('what cannot be trusted is refused with the reason', async (t) => {
  const weak = createAuthority(t, { newKey: ['-newkey', 'rsa:1024'] })
  const constrained = createAuthority(t, {
    extensions: [...authorityExtensions, 'nameConstraints = permitted;DNS:bank.example'],
  })
  const list = one.revocationList()
  const damaged = list.replace('-----\nM', '-----\nX')
  for (const [files, message] of [
    [[''], 'there is no certificate'],
    [[one.issue().pem], 'certificate 1 is not an authority: it must have CA:TRUE'],
    [[`${one.pem}${weak.pem}`], 'certificate 2 has a weak key'],
    [[constrained.pem], /^certificate 1 has name constraints/],
    [[one.pem.replace('MII', 'MIX')], /^certificate 1 is not a certificate/],
    [[one.pem, ''], 'there is no revocation list'],
    [[one.pem, one.pem], 'there is no revocation list'],
    [[one.pem, `${list}${damaged}`], /^revocation list 2 is not a certificate revocation list/],
  ] as const) {
    t.throws(() => read(...files), { message })
  }
})

t.test(
  'a list older than the active one is refused, a later one of each key accepted',
  async (t) => {
    const now = Math.floor(Date.now() / 1000) * 1000
    const dates = { validFrom: now - 1000, validUntil: now + 86_400_000 }
    // Two keys of one authority, as while it changes keys.
    const keys = [
      await makeAuthority({ subject: { cn: 'One' }, ...dates }),
      await makeAuthority({ subject: { cn: 'One' }, ...dates }),
    ] as const
    const anchors = keys.map(({ certificate }) => pem('CERTIFICATE', certificate)).join('')
    const list = async (issuer: Issuer, hours: number) => {
      const thisUpdate = now + hours * 3_600_000
      const nextUpdate = thisUpdate + 86_400_000
      const der = await makeRevocationList({
        issuer,
        revoked: [],
        number: 1,
        thisUpdate,
        nextUpdate,
      })
      return pem('X509 CRL', der)
    }
    const given = async (first?: number, second?: number) => {
      const lists = [
        ...(first === undefined ? [] : [await list(keys[0], first)]),
        ...(second === undefined ? [] : [await list(keys[1], second)]),
      ]
      return [anchors, lists.join('')].map((text) => Buffer.from(text))
    }
    const active = readTrust(await given(5, 2))
    for (const accepted of [await given(5, 2), await given(6, 3), await given(undefined, 2)]) {
      t.ok(readTrust(accepted, active))
    }
    for (const [replayed, message] of [
      [await given(4, 2), /^revocation list 1 is older than the active one/],
      [await given(6, 1), /^revocation list 2 is older than the active one/],
    ] as const) {
      t.throws(() => readTrust(replayed, active), { name: 'RevocationListUnusable', message })
      t.ok(readTrust(replayed), 'after a restart')
    }
  },
)

t.test('a process that asks for no certificates does not load what reads them', async (t) => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (/node_modules\\/(pkijs|asn1js)\\//.test(url)) console.log(url)
      return next(url, context)
    } })
    for (const role of ['gateway', 'portal', 'backend']) await import('./src/compose/' + role + '.ts')
    await import('./src/main.ts')`
  const args = ['--input-type=module', '--eval', script]
  t.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), '')
})
