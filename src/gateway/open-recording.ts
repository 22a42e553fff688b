import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { Services } from './open-services.ts'
import { type CallRecorder, createCallRecorder } from './operate/call-recorder.ts'
import { keepRecords } from './operate/keep-records.ts'
import type { RegistrySchema } from './registry/schema.ts'

export interface RecordingOptions {
  readonly settings: Pick<Settings, 'recordCalls' | 'databaseUrl'>
  readonly database: Database
  readonly services: Pick<Services, 'registry' | 'metrics'>
  readonly log: Logger
  readonly lifetime: Lifetime
}

/**
 * Opens what remembers calls for developers, and keeps what is remembered
 * within its bounds. @returns undefined when the settings do not want it; what
 * was written before ends by its age all the same
 */
export function openRecording(options: RecordingOptions): CallRecorder | undefined {
  const { settings, database, services, log, lifetime } = options
  const db = database.connect<RegistrySchema>()
  const upkeep = keepRecords({ db, log })
  lifetime.opened(() => upkeep.close())
  if (!settings.recordCalls) return undefined
  const recorder = createCallRecorder({
    db,
    keys: services.registry,
    metrics: services.metrics,
    log,
    now: Date.now,
    monotonic: () => performance.now(),
    // The embedded database is a thread of this process.
    ...(settings.databaseUrl === undefined ? { recordsPerSecond: 250 } : {}),
  })
  lifetime.opened(() => recorder.close())
  return recorder
}
