import { type Kysely, sql } from 'kysely'
import type { Language } from '../../../messages/language.ts'
import { type Developer, developerColumns } from '../../../registry/applications/developer.ts'
import { plainName } from '../../../registry/name.ts'
import { RegistryInputInvalid } from '../../../registry/registry-errors.ts'
import { change } from '../../../registry/transaction.ts'
import type { PortalSchema } from '../schema.ts'
import { changeOperator } from './operators.ts'

/**
 * The identity of a person at an OpenID Connect provider: `iss` and `sub`,
 * which never name another person (OpenID Connect Core 1.0, 5.7).
 */
export interface Identity {
  readonly issuer: string
  readonly subject: string
}

/** A person as the provider describes them. */
export interface ProvidedPerson {
  readonly identity: Identity
  /** Verified by the provider. */
  readonly email: string
  /** May be empty, or no name that we accept. */
  readonly name: string
  /** Undefined: the provider does not decide. */
  readonly isOperator: boolean | undefined
}

/** The account of a person who signs in through the provider. */
export interface ProvidedAccount extends Developer {
  readonly isApproved: boolean
  /** Whether this sign-in gave or took the operator role. */
  readonly roleChange: 'granted' | 'withdrawn' | null
}

/** Accounts of people who sign in through the bank's OpenID Connect provider. */
export interface Identities {
  /**
   * The account of a person, with the operator role that the provider says. The
   * first sign-in creates it. Becoming an operator ends all sessions.
   *
   * @param input.language of the mails to a new account
   * @param input.firstSignIn whether an account may be created: not for `off`; for `approval`, it waits. Operators need
   *   neither
   * @returns `email-taken` when another account has the address, `closed` when no account may be created
   */
  signIn(
    input: ProvidedPerson & { firstSignIn: 'open' | 'approval' | 'off'; language: Language },
  ): Promise<ProvidedAccount | 'email-taken' | 'closed'>
  /** Finds the identity of a developer; undefined if the developer has a password or no way to sign in yet. */
  find(developerId: string): Promise<Identity | undefined>
}

export function createIdentities({ db }: { readonly db: Kysely<PortalSchema> }): Identities {
  return {
    signIn: ({ identity, email, name, isOperator, firstSignIn, language }) =>
      change(db, async (trx, record) => {
        // Two first sign-ins of one person at the same time make one account.
        const lock = JSON.stringify([identity.issuer, identity.subject])
        await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(trx)
        let found = await trx
          .selectFrom('developers')
          .select([...developerColumns, isApproved])
          .where('oidc_issuer', '=', identity.issuer)
          .where('oidc_subject', '=', identity.subject)
          .forUpdate()
          .executeTakeFirst()
        if (found === undefined) {
          if (firstSignIn === 'off' && isOperator !== true) return 'closed'
          const created = await trx
            .insertInto('developers')
            .values({
              email,
              name: acceptableName(name),
              oidc_issuer: identity.issuer,
              oidc_subject: identity.subject,
              language,
              approved_at: firstSignIn === 'approval' ? null : sql`now()`,
            })
            .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
            .returning([...developerColumns, isApproved])
            .executeTakeFirst()
          if (created === undefined) return 'email-taken'
          found = created
          const made = { kind: 'developer', action: 'create', developerId: found.id } as const
          const detail = { method: 'oidc' }
          await record(made, { by: `developer:${found.id}`, action: 'developer.sign-up', detail })
        }
        if (isOperator === undefined || isOperator === found.isOperator) {
          return { ...found, roleChange: null }
        }
        const changed = await changeOperator(trx, record, { found, isOperator, by: 'system' })
        return {
          ...changed,
          isApproved: isOperator || found.isApproved,
          roleChange: isOperator ? 'granted' : 'withdrawn',
        } as const
      }),

    async find(developerId) {
      const row = await db
        .selectFrom('developers')
        .select(['oidc_issuer as issuer', 'oidc_subject as subject'])
        .where('id', '=', developerId)
        .executeTakeFirst()
      if (row === undefined || row.issuer === null || row.subject === null) return undefined
      return { issuer: row.issuer, subject: row.subject }
    },
  }
}

const isApproved = sql<boolean>`approved_at is not null`.as('isApproved')

/** Leaves out a name that the portal would not take: it must not prevent a sign-in. */
function acceptableName(name: string): string {
  try {
    return name === '' ? '' : plainName(name)
  } catch (error) {
    if (error instanceof RegistryInputInvalid) return ''
    throw error
  }
}
