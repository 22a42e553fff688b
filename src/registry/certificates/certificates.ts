// This folder keeps the certificates of applications. Read this file first: it adds, blocks and removes them.
// `read-client-certificate.ts` checks one that a developer adds, `certificate-state.ts` says what it is at a time, and
// `certificate-register.ts` keeps the blocked ones in a gateway's memory. Whether an authority issued a certificate,
// the gateway judges with `src/certificates`.

import type { Kysely } from 'kysely'
import type { CertificateUse } from '../../certificates/certificate.ts'
import { isUuid } from '../../platform/database/uuid.ts'
import { lockActiveApplication } from '../applications/applications.ts'
import { conflictAt } from '../conflict-at.ts'
import { existing } from '../existing.ts'
import { recordChange } from '../feed/record-change.ts'
import { checkReason, plainName } from '../name.ts'
import { RegistryConflict, RegistryInputInvalid } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import { change, type RegistryTransaction } from '../transaction.ts'
import { blockedSince } from './blocked-since.ts'
import { readClientCertificate } from './read-client-certificate.ts'

/**
 * A certificate of an application: a QWAC with which it connects (`tls`), or a
 * QSealC with which it signs (`signing`). The registry keeps what is public in
 * it; whether an authority issued it, the gateway judges with each connection.
 */
export interface ApplicationCertificate {
  readonly id: string
  readonly applicationId: string
  readonly use: CertificateUse
  /** Chosen by the developer. */
  readonly name: string
  /** SHA-256 of the certificate, 43 characters of base64url. */
  readonly thumbprint: string
  /** Distinguished names on one line. */
  readonly subject: string
  readonly issuer: string
  /** PSD2 roles (`PSP_AI`); empty without a PSD2 statement. */
  readonly roles: readonly string[]
  /** organizationIdentifier of the subject: `PSDPL-PFSA-1234567890`. */
  readonly authorisationNumber: string | null
  readonly validFrom: Date
  readonly validUntil: Date
  readonly createdAt: Date
  /** When a call last connected with it, to ten seconds; null: never. Always null for signing, which the bank checks. */
  readonly lastUsedAt: Date | null
  /** Since when an operator blocks it; null: not blocked. */
  readonly blockedAt: Date | null
}

/** A certificate that operators do not accept from any client. */
export interface BlockedCertificate {
  readonly thumbprint: string
  /** SHA-256 of what its authority signed, base64url. */
  readonly signedDigest: string
  readonly reason: string
  readonly blockedAt: Date
}

/** Names a certificate. */
export interface CertificateNamed {
  readonly thumbprint: string
  /**
   * SHA-256 of what its authority signed, base64url; undefined: that of the
   * application's certificate with this thumbprint.
   */
  readonly signedDigest?: string | undefined
}

/** Certificates of an application that are valid at a time, for each use: the current one and its successor. */
export const certificatesPerUse = 2

/** `by` is the actor in the audit. */
export interface Certificates {
  /**
   * Adds a certificate to an application and removes the expired ones of its
   * use, which bound the application until now. Gateways know it within a second.
   *
   * @param input.certificate PEM or DER
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} certificates-limit, certificate-twice, certificate-blocked, application-suspended
   * @throws {RegistryInputInvalid} an invalid name; a certificate that cannot
   * be read, is not for this use, has a weak key or has expired
   */
  add(input: {
    applicationId: string
    use: CertificateUse
    name: string
    certificate: Buffer
    by: string
  }): Promise<ApplicationCertificate>
  find(id: string): Promise<ApplicationCertificate | undefined>
  /** All certificates of the application, oldest first. */
  list(options: { applicationId: string }): Promise<ApplicationCertificate[]>
  /** Removes a certificate. Gateways refuse it within a second. @throws {RegistryNotFound} */
  remove(input: { id: string; by: string }): Promise<void>
  /**
   * Blocks a certificate in all applications. Idempotent: the first reason
   * stays. Without `signedDigest`, an application must have the certificate.
   *
   * @throws {RegistryInputInvalid}
   */
  block(input: CertificateNamed & { reason: string; by: string }): Promise<void>
  /** Idempotent. @throws {RegistryInputInvalid} */
  unblock(input: CertificateNamed & { by: string }): Promise<void>
  /** All blocked certificates, oldest first. */
  blocked(): Promise<BlockedCertificate[]>
}

export interface CertificatesOptions {
  readonly db: Kysely<RegistrySchema>
  readonly now: () => number
}

export function createCertificates({ db, now }: CertificatesOptions): Certificates {
  return {
    add: async ({ applicationId, use, name: given, certificate, by }) => {
      const name = plainName(given)
      const facts = await readClientCertificate(certificate, use, now())
      return change(db, async (trx, record) => {
        await lockActiveApplication(trx, applicationId)
        const expired = await trx
          .deleteFrom('certificates')
          .where('application_id', '=', applicationId)
          .where('use', '=', use)
          .where('valid_until', '<=', new Date(now()))
          .returning(['id', 'thumbprint'])
          .execute()
        for (const one of expired) {
          await record(...traces({ ...one, applicationId, use }, 'remove', by))
        }
        const { count } = await trx
          .selectFrom('certificates')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('application_id', '=', applicationId)
          .where('use', '=', use)
          .executeTakeFirstOrThrow()
        if (Number(count) >= certificatesPerUse) {
          throw new RegistryConflict(
            'certificates-limit',
            `an application may have ${certificatesPerUse} valid certificates for one use; remove one first`,
            { limit: certificatesPerUse },
          )
        }
        const { roles, ...values } = facts
        const { id, blockedAt } = await trx
          .insertInto('certificates')
          .values({
            ...values,
            roles: JSON.stringify(roles),
            application_id: applicationId,
            use,
            name,
          })
          .returning(['id', blockedSince('certificates').as('blockedAt')])
          .executeTakeFirstOrThrow()
        if (blockedAt !== null) {
          throw new RegistryConflict(
            'certificate-blocked',
            'the operator has blocked this certificate',
          )
        }
        const added = await readCertificate(trx, id)
        await record(...traces(added, 'add', by))
        return added
      }).catch(translateTwice)
    },

    async find(id) {
      if (!isUuid(id)) return undefined
      return select(db).where('id', '=', id).executeTakeFirst()
    },

    async list({ applicationId }) {
      if (!isUuid(applicationId)) return []
      return select(db)
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
    },

    remove: ({ id, by }) =>
      change(db, async (trx, record) => {
        const found = await readCertificate(trx, id)
        await trx.deleteFrom('certificates').where('id', '=', id).execute()
        await record(...traces(found, 'remove', by))
      }),

    block: async ({ thumbprint, signedDigest, reason, by }) => {
      checkThumbprint(thumbprint)
      checkReason(reason)
      await change(db, async (trx, record) => {
        const digest = signedDigest ?? (await digestOf(trx, thumbprint))
        if (digest === undefined) {
          throw new RegistryInputInvalid(
            'thumbprint',
            'that of a certificate of an application; name any other certificate by its file',
          )
        }
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('blocked_certificates')
          .values({ thumbprint, signed_digest: digest, reason })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        if (numInsertedOrUpdatedRows === 0n) return
        await record(
          { kind: 'certificate', action: 'block', detail: { thumbprint, signedDigest: digest } },
          { by, subject: `certificate:${thumbprint}`, detail: { reason } },
        )
        await tellOwners(trx, 'block', thumbprint, digest)
      })
    },

    unblock: async ({ thumbprint, signedDigest, by }) => {
      checkThumbprint(thumbprint)
      await change(db, async (trx, record) => {
        const digest = signedDigest ?? (await digestOf(trx, thumbprint))
        const ended = await trx
          .deleteFrom('blocked_certificates')
          .where((is) =>
            is.or([
              is('thumbprint', '=', thumbprint),
              ...(digest === undefined ? [] : [is('signed_digest', '=', digest)]),
            ]),
          )
          .returning(['thumbprint', 'signed_digest as signedDigest'])
          .execute()
        for (const one of ended) {
          await record(
            { kind: 'certificate', action: 'unblock', detail: one },
            { by, subject: `certificate:${one.thumbprint}` },
          )
          await tellOwners(trx, 'unblock', one.thumbprint, one.signedDigest)
        }
      })
    },

    blocked: () =>
      db
        .selectFrom('blocked_certificates')
        .select([
          'thumbprint',
          'signed_digest as signedDigest',
          'reason',
          'blocked_at as blockedAt',
        ])
        .orderBy('blocked_at')
        .orderBy('thumbprint')
        .execute(),
  }
}

/** What adding or removing a certificate leaves: the change for gateways, and the audit entry. */
function traces(
  {
    id,
    applicationId,
    use,
    thumbprint,
  }: Pick<ApplicationCertificate, 'id' | 'applicationId' | 'use' | 'thumbprint'>,
  action: 'add' | 'remove',
  by: string,
) {
  return [
    { kind: 'certificate', action, applicationId },
    { by, subject: `certificate:${id}`, detail: { applicationId, use, thumbprint } },
  ] as const
}

function select(db: Kysely<RegistrySchema>) {
  return db
    .selectFrom('certificates')
    .select([
      'id',
      'application_id as applicationId',
      'use',
      'name',
      'thumbprint',
      'subject',
      'issuer',
      'roles',
      'authorisation_number as authorisationNumber',
      'valid_from as validFrom',
      'valid_until as validUntil',
      'created_at as createdAt',
      'last_used_at as lastUsedAt',
      blockedSince('certificates').as('blockedAt'),
    ])
}

/** @throws {RegistryNotFound} */
function readCertificate(trx: RegistryTransaction, id: string): Promise<ApplicationCertificate> {
  return existing('certificate', id, () => select(trx).where('id', '=', id).executeTakeFirst())
}

/** What the authority signed of an application's certificate; undefined: no application has it. */
async function digestOf(trx: RegistryTransaction, thumbprint: string): Promise<string | undefined> {
  const found = await trx
    .selectFrom('certificates')
    .select('signed_digest as digest')
    .where('thumbprint', '=', thumbprint)
    .executeTakeFirst()
  return found?.digest
}

/** Leaves a change for each application that has the certificate, because gateways keep its seals with its keys. */
async function tellOwners(
  trx: RegistryTransaction,
  action: 'block' | 'unblock',
  thumbprint: string,
  digest: string,
): Promise<void> {
  const owners = await trx
    .selectFrom('certificates')
    .select('application_id as applicationId')
    .distinct()
    .where((is) => is.or([is('thumbprint', '=', thumbprint), is('signed_digest', '=', digest)]))
    .execute()
  for (const owner of owners) await recordChange(trx, { kind: 'certificate', action, ...owner })
}

function checkThumbprint(text: string): void {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return
  throw new RegistryInputInvalid(
    'thumbprint',
    '43 characters of base64url, the SHA-256 of a certificate',
  )
}

const translateTwice = conflictAt(
  'certificates_twice',
  'certificate-twice',
  'the application has this certificate already',
)
