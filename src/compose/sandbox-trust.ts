import { readCertificate } from '../certificates/certificate.ts'
import { readRevocationList } from '../certificates/revocation-list.ts'
import type { Trust } from '../certificates/trust.ts'
import { repeatedly } from '../platform/process/repeatedly.ts'
import { createWatchedCopy, type Watched } from '../platform/settings/watched-files.ts'
import {
  createSandboxAuthority,
  type PublishedAuthority,
} from '../portal/stores/sandbox/sandbox-authority.ts'
import type { PortalSchema } from '../portal/stores/schema.ts'
import type { Peppers } from '../registry/keys/key-mac.ts'
import type { Registry } from '../registry/open-registry.ts'
import type { Foundation } from './stores.ts'

/** Where the authority of the sandbox is. */
export interface SandboxPlace extends Pick<Foundation, 'database'> {
  readonly registry: Pick<Registry, 'onChange' | 'onLost'>
  readonly peppers: Peppers
}

export interface SandboxTrustOptions extends SandboxPlace, Pick<Foundation, 'log' | 'lifetime'> {}

/** Milliseconds between two looks, so that a list that is about to end is renewed in time. */
const lookEveryMs = 60_000

/** Trusts the authority of the sandbox and follows its revocation list. */
export async function openSandboxTrust(options: SandboxTrustOptions): Promise<Watched<Trust>> {
  const { database, registry, peppers, log, lifetime } = options
  const db = database.connect<PortalSchema>()
  const authority = createSandboxAuthority({ db, peppers, now: Date.now })
  let known = await authority.published()
  const trust = createWatchedCopy(trustOf(known))

  const looking = repeatedly({
    everyMs: lookEveryMs,
    async work() {
      const found = await authority.published()
      if (found.revocationList.equals(known.revocationList)) return
      known = found
      trust.take(trustOf(found))
    },
    onFailure: (err) => log.warn({ err }, 'the authority of the sandbox was not read'),
  })
  const ends = [
    registry.onChange('certificate', ({ action }) => {
      if (action === 'list') looking.now()
    }),
    registry.onLost(() => looking.now()),
  ]
  lifetime.opened(async () => {
    for (const end of ends) end()
    await looking.close()
  })
  return trust
}

function trustOf({ certificate, revocationList }: PublishedAuthority): Trust {
  return {
    anchors: [readCertificate(certificate)],
    lists: [readRevocationList(revocationList)],
  }
}
