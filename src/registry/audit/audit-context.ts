import { AsyncLocalStorage } from 'node:async_hooks'

/** The request that makes changes, for their audit entries. */
export interface AuditContext {
  /** UUID. */
  readonly requestId: string
  /** What may be erased later: the address as far as it may be recorded, and the browser. */
  readonly personal: Readonly<Record<string, string>>
}

/**
 * Passed beside the arguments: every store writes entries, and has no other use
 * for the request. Absent in commands and jobs.
 */
const context = new AsyncLocalStorage<AuditContext>()

/** Runs `work`; entries of changes that it makes, even later, name the request. */
export function withAuditContext<Result>(of: AuditContext, work: () => Result): Result {
  return context.run(of, work)
}

/** The request that makes the current change. */
export function currentAuditContext(): AuditContext | undefined {
  return context.getStore()
}
