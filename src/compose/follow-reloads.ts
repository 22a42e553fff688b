import { folderState } from '../catalogue/folder-state.ts'
import type { Role } from '../platform/settings/settings.ts'
import { createProcesses, type ReportReply } from '../registry/processes/processes.ts'
import { createConfigurationHistory } from './configuration-history.ts'
import { keepPresence, type PresenceOptions } from './presence.ts'
import type { Publisher } from './publisher.ts'
import type { Services } from './services.ts'
import type { Foundation } from './stores.ts'

export interface FollowReloadsOptions
  extends Pick<Foundation, 'settings' | 'database' | 'log' | 'lifetime'>,
    Pick<PresenceOptions, 'processIdentity'> {
  readonly publisher: Publisher
  readonly certificates: { reload(): Promise<boolean> }
  readonly roles: ReadonlySet<Role>
  /** Undefined: a bank alone, which does not read the changes of the registry. */
  readonly services: Services | undefined
  /** What {@link folderState} said before the configuration was loaded. */
  readonly loaded: string
}

/**
 * Shows other processes which configuration this one serves, sees that changes
 * are audited, and finds reloads that did not reach it: those from before
 * it listened, and, in a bank alone, all.
 */
export async function followReloads(options: FollowReloadsOptions): Promise<void> {
  const { settings, database, publisher, certificates, services, loaded } = options
  const history = services && createConfigurationHistory({ ...services.registry, publisher })
  // Reloads reach a bank alone only once it has reported.
  let isCaughtUp = services !== undefined
  let reloadsAsked = 0

  async function catchUp(): Promise<void> {
    if ((await folderState(settings.configDir)) === loaded) return
    void publisher.reload({ how: 'start', by: 'system' })
  }

  function obey(reply: ReportReply): void {
    const isAsked = services === undefined && reply.reloadsAsked > reloadsAsked
    reloadsAsked = reply.reloadsAsked
    if (!isAsked) return
    void certificates.reload()
    void publisher.reload({ how: 'command', by: reply.askedBy ?? 'system' })
  }

  await keepPresence({
    ...options,
    counts: services?.claim?.counts,
    onContestedChange: services?.processMetrics.setCountingContested,
    processes: createProcesses({ db: database.connect() }),
    async onReply(reply) {
      obey(reply)
      if (!isCaughtUp) await catchUp()
      isCaughtUp = true
      await history?.tell()
    },
  })
  await services?.claim?.handOver()
  if (services !== undefined) await catchUp()
}
