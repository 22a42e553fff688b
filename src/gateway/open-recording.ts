import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { Services } from './open-services.ts'
import { type CallRecorder, createCallRecorder } from './operate/call-recorder.ts'
import type { RegistrySchema } from './registry/schema.ts'

export interface RecordingOptions {
  readonly settings: Pick<Settings, 'recordCalls'>
  readonly database: Database
  readonly services: Pick<Services, 'registry' | 'metrics'>
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Sustained rate of writes; lower where the database shares the CPU with the calls. (Default: the recorder's own.) */
  readonly recordsPerSecond?: number | undefined
}

/** Call records per second when the embedded database, a thread of the same process, writes them. */
export const embeddedRecordsPerSecond = 250

/**
 * Opens the recorder of calls that developers see in the portal.
 *
 * @returns undefined when the settings turn recording off; existing records
 * still expire
 */
export function openRecording(options: RecordingOptions): CallRecorder | undefined {
  const { settings, database, services, log, lifetime, recordsPerSecond } = options
  if (!settings.recordCalls) return undefined
  const recorder = createCallRecorder({
    db: database.connect<RegistrySchema>(),
    keys: services.registry,
    metrics: services.metrics,
    log,
    now: Date.now,
    monotonic: () => performance.now(),
    ...(recordsPerSecond === undefined ? {} : { recordsPerSecond }),
  })
  lifetime.opened(() => recorder.close())
  return recorder
}
