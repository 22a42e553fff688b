import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Processes, ReportReply } from '../gateway/registry/processes.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import { repeatedly } from '../platform/repeatedly.ts'
import type { Role } from '../platform/settings.ts'
import type { Publisher } from './publisher.ts'

export interface PresenceOptions {
  readonly processes: Processes
  readonly publisher: Pick<Publisher, 'state' | 'onJudged'>
  readonly roles: ReadonlySet<Role>
  /** Of the package. */
  readonly version: string
  readonly log: Pick<Logger, 'warn'>
  readonly lifetime: Lifetime
  /** Called after each report. */
  readonly onReply?: (reply: ReportReply) => Promise<void> | void
}

/** A bank alone learns of reloads from what it hears when it reports. */
const everyMs = { bank: 1_000, others: 5_000 } as const

/**
 * Reports to the database, while this process lives, that it does and which
 * configuration it serves: `tollgate reload --wait` lists these processes. Each
 * reload is reported at once. Resolves after the first report.
 */
export async function keepPresence(options: PresenceOptions): Promise<void> {
  const { processes, publisher, roles, version, log, lifetime, onReply } = options
  const id = randomUUID()
  const process_ = {
    ...{ id, version, host: hostname(), pid: process.pid },
    roles: [...roles].toSorted().join('+'),
  }
  let hasTable = false

  async function report(): Promise<void> {
    hasTable ||= await processes.isThere()
    if (!hasTable) return
    const { generation, digest, judged, refused } = publisher.state()
    const reply = await processes.report({ ...process_, generation, digest, judged, refused })
    await onReply?.(reply)
  }

  // A process that serves must be known: a reload would not wait for it. Without a database, it serves all the same.
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
    if (hasTable) await processes.remove(id).catch(() => undefined)
  })
}
