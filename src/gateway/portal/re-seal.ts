import type { Logger } from '../../platform/log.ts'
import type { SealedSecrets } from '../registry/sealed-secrets.ts'
import { reSealTotp } from './accounts/totp.ts'
import { reSealSecret } from './alerts/webhook-secret.ts'
import type { PortalSecrets } from './portal-secrets.ts'

export interface ReSealOptions {
  readonly store: SealedSecrets
  readonly secrets: Pick<PortalSecrets, 'totp' | 'webhooks'>
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/**
 * Encrypts what outlives a SESSION_SECRET with the newest one, so that older
 * ones can go: secrets of authenticator apps and of webhooks. Never throws; the
 * next start or change tries again.
 */
export async function reSeal({ store, secrets, log }: ReSealOptions): Promise<void> {
  let moved = 0
  try {
    for (const secret of await store.list()) {
      const { kind, ownerId, sealed } = secret
      const made =
        kind === 'totp'
          ? reSealTotp(secrets.totp, ownerId, sealed)
          : reSealSecret(secrets.webhooks, ownerId, sealed)
      if (made === undefined) continue
      await store.replace(secret, made)
      moved += 1
    }
  } catch (err) {
    log.warn({ err, moved }, 'some secrets stay under an older SESSION_SECRET')
    return
  }
  if (moved > 0) log.info({ moved }, 'secrets moved to the newest SESSION_SECRET')
}
