import type { SealedSecrets } from '../stores/accounts/sealed-secrets.ts'
import { opens, type SealingSecrets } from './sealed-kinds.ts'

/**
 * Rejects secrets that do not open every stored secret, at startup and before
 * a new SESSION_SECRET applies.
 *
 * @param options.before the secrets until now; what they do not open either is already lost
 * @throws {SessionSecretMissing}
 */
export async function checkSealed({
  store,
  secrets,
  before,
}: {
  readonly store: Pick<SealedSecrets, 'list'>
  readonly secrets: SealingSecrets
  readonly before?: SealingSecrets
}): Promise<void> {
  const closed = (await store.list()).filter(
    (secret) => !opens(secrets, secret) && (before === undefined || opens(before, secret)),
  )
  if (closed.length === 0) return
  const apps = closed.filter(({ kind }) => kind === 'totp').length
  throw new SessionSecretMissing({ apps, webhooks: closed.length - apps })
}

/** SESSION_SECRET lacks a secret that seals authenticator apps or webhooks. */
export class SessionSecretMissing extends Error {
  constructor({ apps, webhooks }: { readonly apps: number; readonly webhooks: number }) {
    super(
      `SESSION_SECRET lacks a secret that is still needed: authenticator apps of developers: ${apps}, webhooks: ${webhooks}. Put it back at the end of the list (<new>,<old>) until the log says that the secrets have moved; docs/rotation.md says what to do if it is lost`,
    )
    this.name = 'SessionSecretMissing'
  }
}
