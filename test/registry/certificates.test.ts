import t from 'tap'
import { makeAuthority, makeCertificate } from '../../src/certificates/make.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { openCertificateRegister } from '../../src/registry/certificates/certificate-register.ts'
import { openChangeFeed } from '../../src/registry/feed/change-feed.ts'
import { createFindKeyRecords } from '../../src/registry/keys/key-record.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { createAuthority, qsealExtensions, qwacExtensions } from '../support/authority.ts'
import { eachDatabase } from '../support/database.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { twinOf } from '../support/twin.ts'
import { until } from '../support/until.ts'

const by = 'system'
const day = 86_400_000
const authority = createAuthority(t)
const unknown = '00000000-0000-4000-8000-000000000000'

for (const { name, open, skip } of eachDatabase) {
  t.test(name, { skip }, async (t) => {
    const { database } = await open(t)
    const clock = { ahead: 0 }
    const stores = await testStores(database, { now: () => Date.now() + clock.ahead })
    const { certificates } = stores
    const db = database.connect<RegistrySchema>()

    /** Adds a certificate to an application. */
    function add(
      applicationId: string,
      { pem }: { readonly pem: string } = authority.issue(),
      use: 'tls' | 'signing' = 'tls',
      name = 'one',
    ) {
      return certificates.add({ applicationId, use, name, certificate: Buffer.from(pem), by })
    }

    t.test('a certificate is kept with what is public in it, and is on record', async (t) => {
      const { application } = await testApplication(stores)
      const qwac = authority.issue({ extensions: qwacExtensions('AI', 'PI') })
      const added = await add(application.id, qwac, 'tls', '  Winter  ')
      t.match(added, {
        applicationId: application.id,
        use: 'tls',
        name: 'Winter',
        thumbprint: qwac.thumbprint,
        subject:
          'C=PL, O=Example TPP, organizationIdentifier=PSDPL-PFSA-1234567890, CN=tpp.example',
        issuer: authority.certificate.x509.subject,
        roles: ['PSP_PI', 'PSP_AI'],
        authorisationNumber: 'PSDPL-PFSA-1234567890',
        validFrom: new Date(qwac.certificate.validFrom),
        validUntil: new Date(qwac.certificate.validUntil),
        lastUsedAt: null,
        blockedAt: null,
      })
      t.same(await certificates.list({ applicationId: application.id }), [added])
      t.same(await certificates.find(added.id), added)

      await certificates.remove({ id: added.id, by })
      t.same(await certificates.list({ applicationId: application.id }), [])
      await t.rejects(certificates.remove({ id: added.id, by }), { name: 'RegistryNotFound' })
      const audit = await stores.audit.list({ subject: `certificate:${added.id}`, limit: 5 })
      const detail = { applicationId: application.id, use: 'tls', thumbprint: qwac.thumbprint }
      t.match(audit, [
        { actor: by, action: 'certificate.remove', detail },
        { actor: by, action: 'certificate.add', detail },
      ])
      t.equal(audit.length, 2)
    })

    t.test('an authorisation number that no database can store is left out', async (t) => {
      const { application } = await testApplication(stores)
      const dates = { validFrom: Date.now() - day, validUntil: Date.now() + day }
      const issuer = await makeAuthority({ ...dates, subject: { cn: 'Odd' } })
      const { certificate: pem } = await makeCertificate({
        ...dates,
        issuer,
        use: 'tls',
        crlUrl: 'http://odd.example/crl',
        subject: { cn: 'odd', organizationIdentifier: 'PSDPL-PFSA-1\0' },
        psd2: { roles: ['PSP_AI'], authorityName: 'Odd', authorityId: 'PL-PFSA' },
      })
      const added = await add(application.id, { pem: pem.trim() })
      t.match(added, { roles: ['PSP_AI'], authorisationNumber: null })
    })

    t.test('two are valid at a time for each use, even when many come at once', async (t) => {
      const { application } = await testApplication(stores)
      const given = Array.from({ length: 6 }, () => authority.issue())
      const outcomes = await Promise.allSettled(given.map((one) => add(application.id, one)))
      t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          t.match(outcome.reason, {
            name: 'RegistryConflict',
            rule: 'certificates-limit',
            limit: 2,
          })
        }
      }
      const seal = authority.issue({ extensions: qsealExtensions('AI') })
      await add(application.id, seal, 'signing')
      t.equal((await certificates.list({ applicationId: application.id })).length, 3)
    })

    t.test('a new certificate takes the place of the expired ones of its use', async (t) => {
      const { application } = await testApplication(stores)
      const old = [await add(application.id), await add(application.id)]
      const seal = authority.issue({ extensions: qsealExtensions('AI') })
      const kept = await add(application.id, seal, 'signing')
      clock.ahead = 91 * day
      const added = await add(application.id, authority.issue({ days: 200 }))
      clock.ahead = 0
      const ids = (await certificates.list({ applicationId: application.id })).map(({ id }) => id)
      t.same(ids, [kept.id, added.id])
      for (const { id, thumbprint } of old) {
        const [entry] = await stores.audit.list({ subject: `certificate:${id}`, limit: 1 })
        t.match(entry, { action: 'certificate.remove', actor: by, detail: { thumbprint } })
      }
    })

    t.test(
      'one certificate belongs to an application once, and may belong to others',
      async (t) => {
        const [{ application }, { application: other }] = [
          await testApplication(stores),
          await testApplication(stores),
        ]
        const one = authority.issue()
        await add(application.id, one)
        await t.rejects(add(application.id, one), {
          name: 'RegistryConflict',
          rule: 'certificate-twice',
        })
        await add(other.id, one)
      },
    )

    t.test('what no call could use is refused with the reason', async (t) => {
      const { application } = await testApplication(stores)
      const { id } = application
      const invalid = (message: RegExp) => ({
        name: 'RegistryInputInvalid',
        field: 'certificate',
        message,
      })
      await t.rejects(add(id, { pem: 'x' }), invalid(/must be one X\.509 certificate, in PEM/))
      const qseal = authority.issue({ extensions: qsealExtensions('AI') })
      await t.rejects(add(id, qseal), invalid(/fit for this use\. It is not a QWAC/))
      await t.rejects(add(id, authority.issue(), 'signing'), invalid(/not a QSealC/))
      await t.rejects(add(id, authority), invalid(/certificate of an authority/))
      const weak = authority.issue({ newKey: ['-newkey', 'rsa:1024'] })
      await t.rejects(add(id, weak), invalid(/key is too weak/))
      clock.ahead = 91 * day
      await t.rejects(add(id), invalid(/one that has not expired/))
      clock.ahead = 0
      await t.rejects(add(id, authority.issue(), 'tls', ' '), {
        name: 'RegistryInputInvalid',
        field: 'name',
      })
      await t.rejects(add(unknown), { name: 'RegistryNotFound', kind: 'application' })
      await stores.applications.suspend({ id, by })
      await t.rejects(add(id), { name: 'RegistryConflict', rule: 'application-suspended' })
      t.equal(await certificates.find('x'), undefined)
      t.same(await certificates.list({ applicationId: 'x' }), [])
    })

    t.test('an expired certificate still binds the key, and signs nothing', async (t) => {
      const { application } = await testApplication(stores)
      const { id: keyId } = await stores.keys.issue({ applicationId: application.id, by })
      const caller = async () => (await createFindKeyRecords({ db })([keyId])).get(keyId)?.caller
      t.equal((await caller())?.certificates.size, 0)
      const qwac = await add(application.id)
      const seal = await add(
        application.id,
        authority.issue({ extensions: qsealExtensions('AI') }),
        'signing',
      )
      t.same((await caller())?.certificates, new Map([[qwac.thumbprint, qwac.id]]))
      t.same((await caller())?.seals, [seal.thumbprint])
      await db
        .updateTable('certificates')
        .set({ valid_until: new Date(0) })
        .where('application_id', '=', application.id)
        .execute()
      t.same((await caller())?.certificates, new Map([[qwac.thumbprint, qwac.id]]))
      t.same((await caller())?.seals, [])
      await certificates.remove({ id: qwac.id, by })
      t.equal((await caller())?.certificates.size, 0)
    })

    t.test('a block covers the certificate with a rewritten signature, too', async (t) => {
      const { application } = await testApplication(stores)
      const { id: keyId } = await stores.keys.issue({ applicationId: application.id, by })
      const seals = async () =>
        (await createFindKeyRecords({ db })([keyId])).get(keyId)?.caller.seals
      const seal = authority.issue({ extensions: qsealExtensions('AI') })
      const twin = twinOf(seal)
      t.not(twin.thumbprint, seal.thumbprint)
      const added = await add(application.id, twin, 'signing')
      t.same(await seals(), [twin.thumbprint])

      const { thumbprint, certificate } = seal
      const reason = 'Stolen'
      const named = { thumbprint, signedDigest: certificate.signedDigest, by }
      await certificates.block({ ...named, reason })
      t.same(await seals(), [])
      t.type((await certificates.find(added.id))?.blockedAt, Date)
      const { application: other } = await testApplication(stores)
      for (const one of [seal, twin]) {
        await t.rejects(add(other.id, one, 'signing'), {
          name: 'RegistryConflict',
          rule: 'certificate-blocked',
        })
      }
      await certificates.unblock({ thumbprint: twin.thumbprint, by })
      t.same(await seals(), [twin.thumbprint])
      t.notOk((await certificates.blocked()).some((one) => one.thumbprint === thumbprint))
    })

    t.test('a certificate that no application has is not blocked by its thumbprint', async (t) => {
      const { thumbprint, certificate } = authority.issue()
      const block = { thumbprint, reason: 'Stolen', by }
      await t.rejects(certificates.block(block), {
        name: 'RegistryInputInvalid',
        message: /name any other certificate by its file/,
      })
      const { signedDigest } = certificate
      await certificates.block({ ...block, signedDigest })
      t.match((await certificates.blocked()).at(-1), { thumbprint, signedDigest })
    })

    t.test('a block reaches every process, and so does its end', async (t) => {
      const { application } = await testApplication(stores)
      const one = authority.issue()
      const twin = twinOf(one).certificate
      const added = await add(application.id, one)
      const { thumbprint } = added
      const log = createLog('silent')
      const feed = await openChangeFeed({
        changes: stores.changes,
        log,
        monotonicNow: () => 0,
      })
      const early = await openCertificateRegister({
        db,
        log,
        now: Date.now,
        registry: { certificates, ...feed },
      })
      t.notOk(early.isBlocked(one.certificate))
      const reason = 'Reported as stolen'
      await certificates.block({ thumbprint, reason, by })
      await certificates.block({ thumbprint, reason: 'Again', by })
      await until('the block arrives', () => early.isBlocked(one.certificate))
      t.ok(early.isBlocked(twin), 'with a rewritten signature')
      const late = await openCertificateRegister({
        db,
        log,
        now: Date.now,
        registry: { certificates, ...feed },
      })
      t.ok(late.isBlocked(one.certificate) && late.isBlocked(twin), 'a process that starts later')
      t.type((await certificates.find(added.id))?.blockedAt, Date)
      t.match((await certificates.blocked()).at(-1), { thumbprint, reason })
      await certificates.unblock({ thumbprint, by })
      await certificates.unblock({ thumbprint, by })
      await until('the end arrives', () => !late.isBlocked(one.certificate))
      t.notOk(late.isBlocked(twin))
      t.equal((await certificates.find(added.id))?.blockedAt, null)
      const audit = await stores.audit.list({ subject: `certificate:${thumbprint}`, limit: 5 })
      t.same(
        audit.map(({ action }) => action),
        ['certificate.unblock', 'certificate.block'],
      )
      t.same(audit[1]?.detail, { reason })
      await t.rejects(certificates.block({ thumbprint: 'x', reason, by }), {
        name: 'RegistryInputInvalid',
        field: 'thumbprint',
      })
      await t.rejects(certificates.block({ thumbprint, reason: '', by }), {
        name: 'RegistryInputInvalid',
        field: 'reason',
      })

      early.noteUse(added.id)
      await early.close()
      await late.close()
      await feed.close()
      t.type((await certificates.find(added.id))?.lastUsedAt, Date)
    })
  })
}
