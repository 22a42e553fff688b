import { migrationOf } from '../../platform/database/migration-of.ts'

/** Calls under a limit with calendar windows. */
export const calendarWindows = migrationOf(
  `alter table call_records add column calendar_window text`,
)
