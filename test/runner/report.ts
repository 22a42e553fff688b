import type { Failure, Skip } from './messages.ts'
import type { EndedFile } from './pool.ts'

/** What a log keeps of one failure, so that the last lines show several. */
const detailLinesMax = 24

/** The line of a file that has ended, with its failures below it. */
export function endedLines(ended: EndedFile): string {
  const { file, seconds, passed, failures, skips } = ended
  const parts = [`${passed} passed`]
  if (failures.length > 0) parts.push(`${failures.length} FAILED`)
  if (skips.length > 0) parts.push(`${skips.length} skipped`)
  const line = `${seconds.toFixed(1).padStart(6)} s  ${file}  ${parts.join(', ')}\n`
  return failures.length === 0 ? line : line + failureLines(ended) + writtenLines(ended)
}

/** The failures of a file, without its line. */
export function failureLines({ file, failures }: Pick<EndedFile, 'file' | 'failures'>): string {
  return failures.map((failure) => linesOf(failure, file)).join('')
}

function linesOf({ title, place, detail }: Failure, file: string): string {
  const lines = detail.split('\n')
  const shown = lines.slice(0, detailLinesMax)
  if (lines.length > shown.length) shown.push(`… and ${lines.length - shown.length} more lines`)
  const indented = detail === '' ? [] : shown.map((line) => `      ${line.slice(0, 300)}`)
  return `${[`  not ok  ${title}`, `    at ${place ?? file}`, ...indented].join('\n')}\n`
}

function writtenLines({ written }: EndedFile): string {
  if (written.trim() === '') return ''
  const lines = written.trimEnd().split('\n').slice(-15)
  return [
    '  standard error, its last lines:',
    ...lines.map((line) => `      ${line.slice(0, 300)}`),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** What could not be tested, by reason. */
export function skipLines(ended: readonly EndedFile[]): string {
  const byReason = Map.groupBy(
    ended.flatMap(({ file, skips }) => skips.map((skip) => ({ file, ...skip }))),
    ({ reason }) => reason || 'without a reason',
  )
  const lines = [...byReason].map(([reason, skips]) => `  ${reason}: ${namesOf(skips)}`)
  return lines.length === 0 ? '' : `\nSkipped:\n${lines.join('\n')}\n`
}

function namesOf(skips: readonly (Skip & { readonly file: string })[]): string {
  return [...new Set(skips.map(({ file }) => file))].join(', ')
}
