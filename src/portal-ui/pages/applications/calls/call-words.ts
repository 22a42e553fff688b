import type { MissingOperation, PublishedApis } from '../../../../portal/api/schemas/catalogue.ts'
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

/** The path as published, or the id of an operation that is no longer published; undefined: no version has the path. */
export function callPath({ path, operation }: CallRecord): string | undefined {
  return path ?? operation ?? undefined
}

/** What was called, or why that is no operation; undefined if it is no longer published. */
export function callTitle(record: CallRecord, apis: PublishedApis | undefined): string | undefined {
  const { api, version, operation, outcome, path } = record
  if (api === null || version === null) return path === null ? t('calls.unknownPath') : undefined
  const published = publishedVersion(apis, { api, version })
  if (operation !== null) return published?.operations.find(({ id }) => id === operation)?.summary
  if (outcome === 'METHOD_NOT_ALLOWED') return t('calls.noSuchMethod')
  if (outcome === 'VERSION_RETIRED') return t('calls.retired', { version })
  const missing = published?.missing.find((each) => isMissing(each, record))
  if (missing === undefined) return path === null ? t('calls.noOperation', { version }) : undefined
  const versions = missing.availableIn.join(', ')
  return t('calls.onlyIn', { operation: missing.summary, versions })
}

/** Whether a call asked for an operation that its version does not have. */
function isMissing({ method, template }: MissingOperation, call: CallRecord): boolean {
  return method === call.method && shapeOf(call.path ?? '').endsWith(shapeOf(template))
}

/** A path without the names of its parameters, which versions may choose differently. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}')
}
