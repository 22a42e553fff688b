import { migrationOf } from '../../platform/database/migration-of.ts'

/** The trace of a recorded call, 32 hexadecimal digits; null: recorded by an earlier release. */
export const traceIds = migrationOf(`alter table call_records add column trace_id text`)
