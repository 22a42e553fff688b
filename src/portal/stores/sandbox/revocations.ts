import type { Issuer, Made } from '../../../certificates/make.ts'
import { recordChange } from '../../../registry/feed/record-change.ts'
import type { PortalTransaction } from '../schema.ts'

/** How long a list is valid. It is renewed when less than half of this is left. */
export const listMs = 14 * 86_400_000

/** The last two pairs. Without a bound, the list would slow down each gateway that reads it. */
const revokedPerApplication = 4

export interface RevokeOptions {
  readonly applicationId: string
  readonly certificate: Made['certificate']
  /** Milliseconds since 1970; the list drops the certificate after this. */
  readonly validUntil: number
}

/** Notes a certificate for the next list, and drops the oldest of its application. */
export async function revoke(
  trx: PortalTransaction,
  { applicationId, certificate, validUntil }: RevokeOptions,
): Promise<void> {
  const { readCertificate } = await import('../../../certificates/certificate.ts')
  const { serialNumber } = readCertificate(Buffer.from(certificate)).x509
  await trx
    .insertInto('sandbox_revocations')
    .values({
      serial: serialNumber.toLowerCase(),
      application_id: applicationId,
      valid_until: new Date(validUntil),
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

export interface WriteListOptions {
  readonly issuer: Issuer
  /** Greater than that of the last list. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Signs a new list and has the gateways read it. The transaction has locked the authority. */
export async function writeList(
  trx: PortalTransaction,
  { issuer, number, now }: WriteListOptions,
): Promise<void> {
  await trx.deleteFrom('sandbox_revocations').where('valid_until', '<', new Date(now)).execute()
  const revoked = await trx
    .selectFrom('sandbox_revocations')
    .select(['serial', 'revoked_at'])
    .orderBy('serial')
    .execute()
  const { makeRevocationList } = await import('../../../certificates/make.ts')
  const until = now + listMs
  const list = await makeRevocationList({
    issuer,
    revoked: revoked.map(({ serial, revoked_at }) => ({ serial, at: revoked_at.getTime() })),
    number,
    thisUpdate: now,
    nextUpdate: until,
  })
  await trx
    .updateTable('sandbox_authority')
    .set({ revocation_list: list, list_number: number, list_until: new Date(until) })
    .execute()
  await recordChange(trx, { kind: 'certificate', action: 'list' })
}
