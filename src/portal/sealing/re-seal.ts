import type { Logger } from '../../platform/log/log.ts'
import { reSealTotp, unsealTotp } from '../accounts/totp.ts'
import { reSealSecret, unsealSecret } from '../alerts/webhook-secret.ts'
import type { SealedSecret, SealedSecrets } from '../stores/accounts/sealed-secrets.ts'
import type { PortalSecrets } from './portal-secrets.ts'

type SealingSecrets = Pick<PortalSecrets, 'totp' | 'webhooks'>

export interface ReSealOptions {
  readonly store: SealedSecrets
  readonly secrets: SealingSecrets
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/**
 * Encrypts what outlives a SESSION_SECRET with the newest one, so that older
 * ones can go: secrets of authenticator apps and of webhooks. Never throws.
 *
 * @returns whether it found nothing to move
 */
export async function reSeal({ store, secrets, log }: ReSealOptions): Promise<boolean> {
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
    log.warn({ err, moved }, 'some secrets stay under an older SESSION_SECRET for now')
    return false
  }
  if (moved > 0) log.info({ moved }, 'secrets moved to the newest SESSION_SECRET')
  return moved === 0
}

/** Moves secrets in the background. */
export interface ReSealing {
  /** Moves them now, and again until a pass finds nothing to move. */
  start(): void
  close(): Promise<void>
}

export function createReSealing({
  everyMs = 60_000,
  ...options
}: ReSealOptions & {
  /** (Default: 60,000) */
  readonly everyMs?: number
}): ReSealing {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let passes: Promise<void> = Promise.resolve()

  async function pass(): Promise<void> {
    clearTimeout(timer)
    if (isClosed || (await reSeal(options)) || isClosed) return
    timer = setTimeout(start, everyMs).unref()
  }

  function start(): void {
    passes = passes.then(pass)
  }

  return {
    start,
    close() {
      isClosed = true
      clearTimeout(timer)
      return passes
    },
  }
}

/** SESSION_SECRET lacks a secret under which authenticator apps or webhooks are kept. */
export class SessionSecretMissing extends Error {
  constructor({ apps, webhooks }: { readonly apps: number; readonly webhooks: number }) {
    super(
      `SESSION_SECRET lacks a secret that is still needed: authenticator apps of developers: ${apps}, webhooks: ${webhooks}. Put it back at the end of the list (<new>,<old>) until the log says that the secrets have moved; docs/rotation.md says what to do if it is lost`,
    )
    this.name = 'SessionSecretMissing'
  }
}

/**
 * Refuses secrets that do not open what is kept.
 *
 * @param options.before the secrets until now: what even they do not open is lost already
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
  const lost = (await store.list()).filter(
    (secret) => !opens(secrets, secret) && (before === undefined || opens(before, secret)),
  )
  if (lost.length === 0) return
  const apps = lost.filter(({ kind }) => kind === 'totp').length
  throw new SessionSecretMissing({ apps, webhooks: lost.length - apps })
}

function opens({ totp, webhooks }: SealingSecrets, secret: SealedSecret): boolean {
  const { kind, ownerId, sealed } = secret
  const plain =
    kind === 'totp' ? unsealTotp(totp, ownerId, sealed) : unsealSecret(webhooks, ownerId, sealed)
  return plain !== undefined
}
