import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { codeOf, ignoreMissing } from '../../log/error-code.ts'
import {
  type CountLine,
  type ExportEndLine,
  type ExportHeader,
  ExportUnusable,
  exportFormat,
} from './export-format.ts'
import { flushToDisk, removeAbandoned, unfinishedName } from './unfinished.ts'

/** A file of that name exists. Nothing was changed. */
export class ExportExists extends Error {
  constructor(path: string) {
    super(`${path} exists; give another name, or remove it`)
    this.name = 'ExportExists'
  }
}

/**
 * Writes a gzipped file of mode 0600 that appears whole and flushed to the disk,
 * or not at all.
 *
 * @param fill writes the text, piece by piece
 * @throws {ExportExists}
 */
export async function writeExportFile<Result>(
  path: string,
  fill: (write: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const unfinished = unfinishedName(path)
  await refuseExisting(path)
  await removeAbandoned(path)
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  const file = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' })
  try {
    const written = finished(pipeline(gzip, file, () => undefined))
    // Awaited below; without this a failure before that would end the process.
    written.catch(() => undefined)
    const result = await fill(async (text) => {
      if (gzip.destroyed) await written
      if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written])
    })
    gzip.end()
    await written
    await flushToDisk(unfinished)
    // A link never replaces a file, a rename would.
    await link(unfinished, path).catch((error: unknown) => {
      throw codeOf(error) === 'EEXIST' ? new ExportExists(path) : error
    })
    await flushToDisk(dirname(path))
    return result
  } finally {
    gzip.destroy()
    file.destroy()
    await unlink(unfinished).catch(ignoreMissing)
  }
}

async function refuseExisting(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(ignoreMissing)
  if (handle === undefined) return
  await handle.close()
  throw new ExportExists(path)
}

/** A line is a row, and no row is longer: a longer line is not from an export. */
const lineLengthMax = 64 * 1024 * 1024

/**
 * The lines of an export without their ends, many at a time.
 *
 * @throws {ExportUnusable}
 */
export async function* readExportLines(path: string): AsyncGenerator<readonly string[]> {
  const gunzip = createGunzip()
  pipeline(createReadStream(path), gunzip, () => undefined)
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const chunk of gunzip) {
      rest += decoder.write(chunk)
      const end = rest.lastIndexOf('\n')
      if (end >= 0) {
        yield rest.slice(0, end).split('\n')
        rest = rest.slice(end + 1)
      }
      if (rest.length > lineLengthMax) throw notAnExport(path)
    }
  } catch (error) {
    if (codeOf(error) === 'Z_BUF_ERROR') throw cutOff(path, error)
    if (String(codeOf(error)).startsWith('Z_')) throw notAnExport(path, error)
    throw error
  } finally {
    gunzip.destroy()
  }
  if (rest !== '') throw cutOff(path)
}

/**
 * Reads the first line of an export.
 *
 * @throws {ExportUnusable} also for a format that a later release writes
 */
export async function readExportHeader(path: string): Promise<ExportHeader> {
  for await (const [line = ''] of readExportLines(path)) return parseHeader(path, line)
  throw notAnExport(path)
}

/**
 * Reads the header of an export and its counts of limits.
 *
 * @throws {ExportUnusable} even if only its end is missing
 */
export async function readExportCounts(path: string): Promise<{
  readonly header: ExportHeader
  readonly counts: readonly CountLine['count'][]
}> {
  let header: ExportHeader | undefined
  const counts: CountLine['count'][] = []
  for await (const lines of readExportLines(path)) {
    header ??= parseHeader(path, lines[0] ?? '')
    for (const line of lines) {
      const control = line.startsWith('{') ? parsed(line) : undefined
      // Parse boundary: a count of a known format.
      if (control?.['count'] !== undefined) counts.push((control as unknown as CountLine).count)
      if (control?.['end'] !== 'export') continue
      if ((control as unknown as ExportEndLine).counts !== counts.length) throw notAnExport(path)
      return { header, counts }
    }
  }
  throw cutOff(path)
}

/** @throws {ExportUnusable} */
export function parseHeader(path: string, line: string): ExportHeader {
  const header = parsed(line)
  if (header?.['tollgate'] !== 'export') throw notAnExport(path)
  const { format, release } = header
  if (typeof format !== 'number' || format > exportFormat) {
    throw new ExportUnusable(
      `${path} has format ${String(format)}, and this release reads formats up to ${exportFormat}; use release ${String(release)} or a later one`,
    )
  }
  // Parse boundary: a header of a known format.
  return header as unknown as ExportHeader
}

/** The object in a line; undefined for anything else. */
export function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return value as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

function notAnExport(path: string, cause?: unknown): ExportUnusable {
  return new ExportUnusable(`${path} is not an export of Tollgate, or it is damaged`, { cause })
}

/** The file ends before the export does. */
export function cutOff(path: string, cause?: unknown): ExportUnusable {
  return new ExportUnusable(`${path} is cut off: its end is missing`, { cause })
}
