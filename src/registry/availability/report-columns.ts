/** The columns of a report as CSV, in their order: members of `Indicators`. */
export const reportColumns = [
  'period',
  'api',
  'version',
  'uptimePercent',
  'downtimeSeconds',
  'plannedSeconds',
  'unplannedSeconds',
  'requests',
  'errors',
  'errorPercent',
  'firstByteMs',
  'lastByteMs',
  'aisMs',
  'pisMs',
  'cbpiiMs',
] as const
