import type { Registry as MetricsRegistry } from 'prom-client'
import { createRecordedAddress } from '../platform/http/recorded-address.ts'
import { createSecurityEvents, type SecurityEvents } from '../platform/log/security-events.ts'
import type { WatchedFiles } from '../platform/settings/watched-files.ts'
import { createSecurityEventLog } from '../registry/audit/security-event-log.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import type { Foundation } from './stores.ts'

export interface SecurityEventsOptions
  extends Pick<Foundation, 'settings' | 'database' | 'log' | 'lifetime' | 'pauses'> {
  readonly metricsRegistry: MetricsRegistry
  /** Whether the process uses the registry, which has the table. */
  readonly hasRegistry: boolean
}

/** Opens the recorder of security events of a process. */
export function openSecurityEvents({
  settings,
  database,
  log,
  lifetime,
  pauses,
  metricsRegistry,
  hasRegistry,
}: SecurityEventsOptions): SecurityEvents {
  const table = createSecurityEventLog({ db: database.connect<RegistrySchema>() })
  const events = createSecurityEvents({
    log,
    metricsRegistry,
    recordedAddress: createRecordedAddress(settings.recordAddresses),
    keep: hasRegistry ? (rows) => table.write(rows) : undefined,
    now: Date.now,
    ...pauses,
  })
  lifetime.opened(() => events.close())
  return events
}

/** Records which changed files of certificates the process accepts and refuses from now on. */
export function recordFiles(
  { onJudged }: Pick<WatchedFiles, 'onJudged'>,
  events: Pick<SecurityEvents, 'record'>,
): void {
  onJudged((files, fault) => {
    events.record(
      fault === undefined
        ? { event: 'files.reloaded', actor: 'system', detail: { files } }
        : { event: 'files.refused', actor: 'system', detail: { files, reason: fault } },
    )
  })
}
