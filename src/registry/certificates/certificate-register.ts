import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import { type Repetition, repeatedly } from '../../platform/process/repeatedly.ts'
import type { ChangeFeed } from '../feed/change-feed.ts'
import { createLastUsed } from '../keys/last-used.ts'
import type { CertificateRegister } from '../registry.ts'
import type { RegistrySchema } from '../schema.ts'
import type { Certificates } from './certificates.ts'

export interface CertificateRegisterOptions {
  readonly db: Kysely<RegistrySchema>
  readonly registry: Pick<ChangeFeed, 'onChange' | 'onLost'> & {
    readonly certificates: Pick<Certificates, 'blocked'>
  }
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A safety net; changes arrive by the feed. */
const readEveryMs = 60_000

/**
 * Keeps the blocked certificates in memory and follows their changes. Resolves
 * once it knows them.
 *
 * @throws when the database does not answer
 */
export async function openCertificateRegister(
  options: CertificateRegisterOptions,
): Promise<CertificateRegister & { close(): Promise<void> }> {
  const { db, registry, log, now } = options
  /** Thumbprints and digests; one never looks like the other. */
  let blocked = new Set<string>()
  let changes = 0

  /** Repeats a read during which a change arrived: it may have begun before the change was committed. */
  async function read(): Promise<void> {
    for (;;) {
      const before = changes
      const found = await registry.certificates.blocked()
      if (before !== changes) continue
      blocked = new Set(found.flatMap((one) => [one.thumbprint, one.signedDigest]))
      return
    }
  }

  let reading: Repetition | undefined
  const ends = [
    registry.onChange('certificate', (change) => {
      if (change.action !== 'block' && change.action !== 'unblock') return
      if ('applicationId' in change) return
      changes += 1
      for (const name of [change.detail.thumbprint, change.detail.signedDigest]) {
        if (change.action === 'block') blocked.add(name)
        else blocked.delete(name)
      }
    }),
    registry.onLost(() => reading?.now()),
  ]
  await read()
  reading = repeatedly({
    everyMs: readEveryMs,
    work: read,
    onFailure: (err) => log.warn({ err }, 'blocked certificates not read'),
  })
  const lastUsed = createLastUsed({ db, of: 'certificates', log })

  return {
    isBlocked: ({ thumbprint, signedDigest }) =>
      blocked.has(thumbprint) || blocked.has(signedDigest),
    noteUse: (id) => lastUsed.note(id, now()),
    async close() {
      for (const end of ends) end()
      await reading?.close()
      await lastUsed.close()
    },
  }
}
