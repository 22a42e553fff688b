import type { PublishedApis } from '../../../../portal/api/schemas/catalogue.ts'
import type { CallRecord } from '../../../../portal/api/schemas/usage.ts'
import type { Tone } from '../../../components/pill.tsx'
import { publishedVersion } from '../../../published.ts'
import { t } from '../../../words.ts'

const admissions: ReadonlySet<string | null> = new Set([
  'admitted',
  'degraded_admitted',
  'observed',
])

/** Whether the gateway let the call through; the bank may still have failed. */
export function isAdmitted({ decision }: Pick<CallRecord, 'decision'>): boolean {
  return admissions.has(decision)
}

/** Outcomes of calls that the gateway did not refuse. */
const unrefused: ReadonlySet<string> = new Set(['forwarded', 'aborted', 'cut'])

/** The gateway's error code; undefined if the bank answered or the connection ended first. */
export function errorCode({ outcome }: CallRecord): string | undefined {
  return unrefused.has(outcome) ? undefined : outcome
}

/** The outcome of a call in one or two words. */
export function outcomeWord(record: CallRecord): string {
  if (record.outcome === 'aborted') return t('outcome.aborted')
  if (record.outcome === 'cut') return t('outcome.cut')
  if (!isAdmitted(record)) return t('outcome.refused')
  return t(record.status >= 500 ? 'outcome.failed' : 'outcome.answered')
}

/** The tone for {@link outcomeWord}. */
export function outcomeTone(record: CallRecord): Tone {
  if (record.outcome === 'aborted') return 'neutral'
  if (record.outcome === 'cut') return 'bad'
  if (!isAdmitted(record)) return 'warn'
  if (record.status >= 500) return 'bad'
  return record.status >= 400 ? 'neutral' : 'ok'
}

/** The path of the called operation as published. Records hold no path, so of others only what was recognised is known. */
export function callPath({ path, version, operation }: CallRecord): string {
  if (path !== null) return path
  if (operation !== null) return operation
  return version === null ? t('calls.unknownPath') : t('calls.unknownPathIn', { version })
}

/** The title of the called operation; undefined if none was recognised or it is no longer published. */
export function callTitle(
  { api, version, operation }: CallRecord,
  apis: PublishedApis | undefined,
): string | undefined {
  if (operation === null || api === null || version === null) return undefined
  const published = publishedVersion(apis, { api, version })
  return published?.operations.find(({ id }) => id === operation)?.summary
}
