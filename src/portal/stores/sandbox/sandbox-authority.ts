// This folder issues test certificates. This file is the authority: it makes its own certificate, signs others and
// keeps the revocation list. `sandbox-pair.ts` makes the two certificates of an application, and
// `certificate-defects.ts` lists what may be wrong with them. Only gateways with a sandbox trust this authority.

import { hkdfSync } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { CertificateUse } from '../../../certificates/certificate.ts'
import type { Issuer, Made } from '../../../certificates/make.ts'
import type { Psd2Role } from '../../../certificates/psd2-role.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import { recordChange } from '../../../registry/feed/record-change.ts'
import type { Peppers } from '../../../registry/keys/key-mac.ts'
import { decrypt, encrypt } from '../../sealing/aes-gcm.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import type { CertificateDefect } from './certificate-defects.ts'

/** The public part of the sandbox's authority, both in DER. */
export interface PublishedAuthority {
  readonly certificate: Buffer
  readonly revocationList: Buffer
}

export interface SandboxCertificateOptions {
  readonly application: { readonly id: string; readonly name: string }
  readonly use: CertificateUse
  readonly roles: readonly Psd2Role[]
  readonly defect: CertificateDefect | undefined
  /** Where the portal serves the list. */
  readonly crlUrl: string
  /** The actor in the audit. */
  readonly by: string
}

/** The authority that issues test certificates. Only gateways with a sandbox trust it. */
export interface SandboxAuthority {
  /** Reads it, and makes it at the first request. The list is never about to end. */
  published(): Promise<PublishedAuthority>
  /** Makes a certificate for 90 days. Its private key is in the result and nowhere else. */
  issue(options: SandboxCertificateOptions): Promise<Made>
}

export interface SandboxAuthorityOptions {
  readonly db: Kysely<PortalSchema>
  /** The authority's key is encrypted with the current one. */
  readonly peppers: Peppers
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const dayMs = 86_400_000
const authorityDays = 3_650
const certificateDays = 90
/** A list is renewed when less than half of this is left. */
const listDays = 14

const name = { c: 'IL', o: 'Tollgate sandbox', cn: 'Tollgate sandbox authority' } as const
const competentAuthority = { authorityName: 'Sandbox authority', authorityId: 'IL-BOI' } as const

interface Held extends Issuer {
  readonly listNumber: number
}

export function createSandboxAuthority(options: SandboxAuthorityOptions): SandboxAuthority {
  const { db, peppers, now } = options

  /** The private key. One that an older pepper seals moves to the current one, so that the older can go. */
  async function openKey(trx: PortalTransaction, sealed: Buffer): Promise<Buffer | undefined> {
    const current = sealingKey(peppers.secrets.get(peppers.current))
    const own = decrypt(current, sealed)
    if (own !== undefined) return own
    for (const secret of peppers.secrets.values()) {
      const opened = decrypt(sealingKey(secret), sealed)
      if (opened === undefined) continue
      await trx
        .updateTable('sandbox_authority')
        .set({ sealed_key: encrypt(current, opened) })
        .execute()
      return opened
    }
    return undefined
  }

  /** Locks the authority's row, so that one process at a time makes it or numbers its lists. */
  async function hold(trx: PortalTransaction): Promise<Held> {
    // A row that is not there cannot be locked.
    await sql`select pg_advisory_xact_lock(hashtext('tollgate sandbox authority'))`.execute(trx)
    const row = await trx.selectFrom('sandbox_authority').selectAll().executeTakeFirst()
    const privateKey = row && (await openKey(trx, row.sealed_key))
    if (row !== undefined && privateKey !== undefined) {
      return { certificate: row.certificate, privateKey, listNumber: Number(row.list_number) }
    }
    // Without the key (its pepper has gone) it can issue nothing more: another one takes its place.
    await trx.deleteFrom('sandbox_authority').execute()
    await trx.deleteFrom('sandbox_revocations').execute()
    const { makeAuthority } = await import('../../../certificates/make.ts')
    const dates = { validFrom: now() - dayMs, validUntil: now() + authorityDays * dayMs }
    const issuer = await makeAuthority({ ...dates, subject: name })
    await trx
      .insertInto('sandbox_authority')
      .values({
        certificate: issuer.certificate,
        sealed_key: encrypt(sealingKey(peppers.secrets.get(peppers.current)), issuer.privateKey),
        revocation_list: Buffer.alloc(0),
        list_number: 0,
        list_until: new Date(0),
      })
      .execute()
    const held = { ...issuer, listNumber: 0 }
    await writeList(trx, held)
    return held
  }

  async function writeList(trx: PortalTransaction, { listNumber, ...issuer }: Held): Promise<void> {
    await trx.deleteFrom('sandbox_revocations').where('valid_until', '<', new Date(now())).execute()
    const revoked = await trx
      .selectFrom('sandbox_revocations')
      .select(['serial', 'revoked_at'])
      .orderBy('serial')
      .execute()
    const { makeRevocationList } = await import('../../../certificates/make.ts')
    const until = now() + listDays * dayMs
    const list = await makeRevocationList({
      issuer,
      revoked: revoked.map(({ serial, revoked_at }) => ({ serial, at: revoked_at.getTime() })),
      number: listNumber + 1,
      thisUpdate: now(),
      nextUpdate: until,
    })
    await trx
      .updateTable('sandbox_authority')
      .set({
        revocation_list: list,
        list_number: listNumber + 1,
        list_until: new Date(until),
      })
      .execute()
    await recordChange(trx, { kind: 'certificate', action: 'list' })
  }

  async function read(): Promise<PublishedAuthority | undefined> {
    const row = await db.selectFrom('sandbox_authority').selectAll().executeTakeFirst()
    const isFresh = row !== undefined && row.list_until.getTime() - now() > (listDays / 2) * dayMs
    const current = sealingKey(peppers.secrets.get(peppers.current))
    if (!isFresh || decrypt(current, row.sealed_key) === undefined) return undefined
    return { certificate: row.certificate, revocationList: row.revocation_list }
  }

  return {
    async published() {
      const known = await read()
      if (known !== undefined) return known
      await db.transaction().execute(async (trx) => writeList(trx, await hold(trx)))
      const made = await read()
      if (made === undefined) throw new Error('the sandbox authority was made and is not there')
      return made
    },

    issue: ({ application, use, roles, defect, crlUrl, by }) =>
      db.transaction().execute(async (trx) => {
        const issuer = await hold(trx)
        const { makeCertificate } = await import('../../../certificates/make.ts')
        // The expired one was valid for 90 days until yesterday.
        const end = now() + (defect === 'expired' ? -1 : certificateDays) * dayMs
        const made = await makeCertificate({
          issuer,
          use,
          crlUrl,
          subject: subjectOf(application),
          validFrom: end - (certificateDays + 1) * dayMs,
          validUntil: end,
          // No operation asks for this role.
          psd2: { ...competentAuthority, roles: defect === 'wrong-role' ? ['PSP_IC'] : roles },
        })
        if (defect === 'revoked') await revoke(trx, application.id, made, end)
        if (defect === 'revoked') await writeList(trx, issuer)
        const subject = `application:${application.id}`
        const detail = { use, ...(defect === undefined ? {} : { defect }) }
        await recordAudit(trx, { actor: by, action: 'certificate.issue', subject, detail })
        return made
      }),
  }
}

/** The two newest pairs: a list without a bound would slow each gateway down that reads it. */
const revokedPerApplication = 4

/** Lists a certificate as revoked, and drops the oldest of its application. */
async function revoke(
  trx: PortalTransaction,
  applicationId: string,
  { certificate }: Made,
  end: number,
): Promise<void> {
  const { readCertificate } = await import('../../../certificates/certificate.ts')
  const { serialNumber } = readCertificate(Buffer.from(certificate)).x509
  await trx
    .insertInto('sandbox_revocations')
    .values({
      serial: serialNumber.toLowerCase(),
      application_id: applicationId,
      valid_until: new Date(end),
    })
    .execute()
  await trx
    .deleteFrom('sandbox_revocations')
    .where('serial', 'in', (of) =>
      of
        .selectFrom('sandbox_revocations')
        .select('serial')
        .where('application_id', '=', applicationId)
        .orderBy('revoked_at', 'desc')
        .offset(revokedPerApplication),
    )
    .execute()
}

/** Longest organisation and common name of X.520. */
const nameMax = 64

/** The application as a payment service provider; the same authorisation number each time. */
function subjectOf({ id, name: applicationName }: SandboxCertificateOptions['application']) {
  const short = [...applicationName].slice(0, nameMax).join('')
  const number = BigInt(`0x${id.replaceAll('-', '')}`) % 10_000_000_000n
  return {
    c: 'IL',
    o: short,
    cn: short,
    organizationIdentifier: `PSDIL-BOI-${String(number).padStart(10, '0')}`,
  }
}

const purpose = 'tollgate sandbox authority'

/** A key of its own for this purpose, from a pepper. */
function sealingKey(secret = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
