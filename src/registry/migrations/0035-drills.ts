import { migrationOf } from '../../platform/database/migration-of.ts'

/** The answer that a recorded call asked for as a drill; null: a call. */
export const drills = migrationOf(`alter table call_records add column drill text`)
