// This folder issues test certificates. This file is the authority: it makes its own certificate and signs others.
// `revocations.ts` signs its revocation list, `sandbox-pair.ts` makes the two certificates of an application, and
// `certificate-defects.ts` lists what may be wrong with them. Only gateways with a sandbox trust this authority.

import { hkdfSync } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { CertificateUse } from '../../../certificates/certificate.ts'
import type { Issuer, Made } from '../../../certificates/make.ts'
import type { Psd2Role } from '../../../certificates/psd2-role.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { Peppers } from '../../../registry/keys/key-mac.ts'
import { decrypt, encrypt } from '../../sealing/aes-gcm.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import type { CertificateDefect } from './certificate-defects.ts'
import { listMs, revoke, writeList } from './revocations.ts'

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

/** The authority that issues test certificates. */
export interface SandboxAuthority {
  /** Returns the authority, and creates it at the first request. The list is valid for at least seven more days. */
  published(): Promise<PublishedAuthority>
  /**
   * Issues a certificate valid until 90 days from now (from yesterday, for clocks that are behind). Only the result contains
   * its private key.
   */
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

const name = { c: 'IL', o: 'Tollgate sandbox', cn: 'Tollgate sandbox authority' } as const
const competentAuthority = { authorityName: 'Sandbox authority', authorityId: 'IL-BOI' } as const

interface LockedAuthority extends Issuer {
  /** Number of its last list; 0: it has none yet. */
  readonly listNumber: number
}

export function createSandboxAuthority(options: SandboxAuthorityOptions): SandboxAuthority {
  const { db, peppers, now } = options

  /**
   * Decrypts the private key. If an older pepper encrypted it, encrypts it again with the current one, so that the older
   * pepper can go.
   */
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

  /** Locks the authority, so that one process at a time creates it or numbers its lists. A new one has no list yet. */
  async function lockAuthority(trx: PortalTransaction): Promise<LockedAuthority> {
    // A row that is not there cannot be locked.
    await sql`select pg_advisory_xact_lock(hashtext('tollgate sandbox authority'))`.execute(trx)
    const row = await trx.selectFrom('sandbox_authority').selectAll().executeTakeFirst()
    const privateKey = row && (await openKey(trx, row.sealed_key))
    if (row !== undefined && privateKey !== undefined) {
      return { certificate: row.certificate, privateKey, listNumber: Number(row.list_number) }
    }
    // Without its key (the pepper is gone), an authority can issue nothing more, so a new one replaces it.
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
    return { ...issuer, listNumber: 0 }
  }

  function writeNextList(trx: PortalTransaction, authority: LockedAuthority): Promise<void> {
    const { listNumber, ...issuer } = authority
    return writeList(trx, { issuer, number: listNumber + 1, now: now() })
  }

  async function read(): Promise<PublishedAuthority | undefined> {
    const row = await db.selectFrom('sandbox_authority').selectAll().executeTakeFirst()
    const isFresh = row !== undefined && row.list_until.getTime() - now() > listMs / 2
    const current = sealingKey(peppers.secrets.get(peppers.current))
    if (!isFresh || decrypt(current, row.sealed_key) === undefined) return undefined
    return { certificate: row.certificate, revocationList: row.revocation_list }
  }

  return {
    async published() {
      const known = await read()
      if (known !== undefined) return known
      await db.transaction().execute(async (trx) => writeNextList(trx, await lockAuthority(trx)))
      const created = await read()
      if (created === undefined) {
        throw new Error('the sandbox authority is missing after it was created')
      }
      return created
    },

    issue: ({ application, use, roles, defect, crlUrl, by }) =>
      db.transaction().execute(async (trx) => {
        const authority = await lockAuthority(trx)
        const { makeCertificate } = await import('../../../certificates/make.ts')
        // An expired certificate ended yesterday; its period is as long as that of a valid one.
        const end = now() + (defect === 'expired' ? -1 : certificateDays) * dayMs
        const made = await makeCertificate({
          issuer: authority,
          use,
          crlUrl,
          subject: subjectOf(application),
          validFrom: end - (certificateDays + 1) * dayMs,
          validUntil: end,
          // No operation asks for this role.
          psd2: { ...competentAuthority, roles: defect === 'wrong-role' ? ['PSP_IC'] : roles },
        })
        const isRevoked = defect === 'revoked'
        if (isRevoked) {
          const { certificate } = made
          await revoke(trx, { applicationId: application.id, certificate, validUntil: end })
        }
        if (isRevoked || authority.listNumber === 0) await writeNextList(trx, authority)
        const subject = `application:${application.id}`
        const detail = { use, ...(defect === undefined ? {} : { defect }) }
        await recordAudit(trx, { actor: by, action: 'certificate.issue', subject, detail })
        return made
      }),
  }
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
