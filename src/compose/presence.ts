import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from '../platform/log/log.ts'
import { joinRoles } from '../platform/process/join-roles.ts'
import type { Lifetime } from '../platform/process/lifetime.ts'
import { repeatedly } from '../platform/process/repeatedly.ts'
import type { Role } from '../platform/settings/settings.ts'
import type {
  Counting,
  Processes,
  ProcessReport,
  ReportReply,
} from '../registry/processes/processes.ts'
import { CountersNotShared } from './counting-claim.ts'
import type { Publisher } from './publisher.ts'

/** Which process reports. */
export type ProcessIdentity = Pick<ProcessReport, 'id' | 'roles' | 'host' | 'pid' | 'version'>

/** This process, new with each start. @param version of the package */
export function identify(roles: ReadonlySet<Role>, version: string): ProcessIdentity {
  const { pid } = process
  return {
    id: randomUUID(),
    roles: joinRoles(roles),
    host: hostname(),
    pid,
    version,
  }
}

export interface PresenceOptions {
  readonly processes: Processes
  readonly processIdentity: ProcessIdentity
  /** How this process counts, if others could count beside it. */
  readonly counts: Counting | undefined
  readonly publisher: Pick<Publisher, 'state' | 'onJudged'>
  readonly roles: ReadonlySet<Role>
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>
  readonly lifetime: Lifetime
  /** Called when the first process that does not share its counters appears, and when the last one is gone. */
  readonly onContestedChange?: ((isContested: boolean) => void) | undefined
  /** Called after each report. */
  readonly onReply?: (reply: ReportReply) => Promise<void> | void
}

/** A bank alone learns of reloads from the reply to its report. */
const everyMs = { bank: 1_000, others: 5_000 } as const

/**
 * Reports to the database, while this process lives, that it does and which
 * configuration it serves: `tollgate reload --wait` lists these processes. Each
 * reload is reported at once. Resolves after the first report.
 */
export async function keepPresence(options: PresenceOptions): Promise<void> {
  const { processes, processIdentity, counts, publisher, roles, log, lifetime, onReply } = options
  let hasTable = false
  let isContested = false

  async function report(): Promise<void> {
    hasTable ||= await processes.isThere()
    if (!hasTable) return
    const { generation, digest, judged, refused } = publisher.state()
    const served = { generation, digest, judged, refused }
    const reply = await processes.report({ ...processIdentity, ...served, counts })
    noteContested(reply)
    await onReply?.(reply)
  }

  /** After an outage of the database, another process may count that this one would not have started beside. */
  function noteContested(reply: ReportReply): void {
    if (reply.isContested === isContested) return
    isContested = reply.isContested
    options.onContestedChange?.(isContested)
    if (isContested && counts !== undefined) {
      log.error({ reason: new CountersNotShared(counts).message }, 'limits may be multiplied')
    } else log.info({}, 'no other process counts by itself any more')
  }

  // A process that serves must be known: a reload would not wait for it. Without a database, it still serves.
  await report().catch(() => undefined)
  const reporting = repeatedly({
    everyMs: roles.size === 1 && roles.has('backend') ? everyMs.bank : everyMs.others,
    work: report,
    onFailure: (err) => log.warn({ err }, 'this process cannot report its configuration'),
  })
  publisher.onJudged(() => reporting.now())

  lifetime.opened(async () => {
    await reporting.close()
    // What remains is taken for gone after seconds.
    if (hasTable) await processes.remove(processIdentity.id).catch(() => undefined)
  })
}
