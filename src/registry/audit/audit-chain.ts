import type { Kysely } from 'kysely'
import type { Peppers } from '../keys/key-mac.ts'
import type { RegistrySchema } from '../schema.ts'
import type { Checkpoint } from './chain.ts'
import type { ExpectedLink } from './chain-check.ts'
import { exportAudit } from './export-audit.ts'
import { pruneAudit } from './prune-audit.ts'
import { type AuditSealer, createAuditSealer } from './sealer.ts'
import { type AuditKeys, createAuditSigner } from './signer.ts'
import { type AuditReport, verifyAudit } from './verify-audit.ts'

/** The hash chain over the audit log of one database. */
export interface AuditChain extends AuditSealer {
  /** Public keys derived from the peppers, the current one first. */
  readonly keys: AuditKeys
  /** See {@link verifyAudit}. */
  verify(options?: { readonly expected?: ExpectedLink | undefined }): Promise<AuditReport>
  /** See {@link exportAudit}. */
  export(options: {
    readonly after?: number | undefined
    readonly withPersonal: boolean
  }): AsyncGenerator<string>
  /** See {@link pruneAudit}. */
  prune(input: { readonly before: Date; readonly by: string }): Promise<Checkpoint | undefined>
}

export function createAuditChain({
  db,
  peppers,
}: {
  readonly db: Kysely<RegistrySchema>
  readonly peppers: Peppers
}): AuditChain {
  const signer = createAuditSigner(peppers)
  return {
    ...createAuditSealer({ db, signer }),
    get keys() {
      return signer.publicKeys
    },
    verify: ({ expected } = {}) => verifyAudit({ db, keys: signer.publicKeys, expected }),
    export: (options) => exportAudit({ ...options, db }),
    prune: (input) => pruneAudit({ ...input, db, signer }),
  }
}
