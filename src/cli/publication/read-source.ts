// This folder has the steps of `tollgate publish`, whose order is in `../commands/publish.ts`.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { JsonObject } from '../../catalogue/catalogue.ts'
import { isJsonObject } from '../../catalogue/json.ts'
import { parseText } from '../../catalogue/parse-text.ts'
import { filesReferredTo } from '../../catalogue/preload.ts'
import { notUtf8, utf8Text } from '../../catalogue/utf8-text.ts'
import { codeOf } from '../../platform/log/error-code.ts'
import { CommandError } from '../command-error.ts'
import { statedVersionOf } from './names.ts'

/** A document that is to be published, with the files that it refers to. */
export interface SourceDocument {
  readonly content: JsonObject
  /** `info.version` as the document spells it; empty if it has no version. */
  readonly statedVersion: string
  readonly isJson: boolean
  /** By their path beside the document; the document itself is at `''`. */
  readonly files: ReadonlyMap<string, SourceFile>
  /** Paths beside the document that it seems to refer to, where there is no file. */
  readonly missing: ReadonlySet<string>
}

interface SourceFile {
  /** As they are. */
  readonly bytes: Buffer
  /** The file or URL, without a password. */
  readonly place: string
}

const fetchMs = 30_000
/** Octets of one file. */
const sizeMax = 64 * 1024 * 1024

/**
 * Reads a document and everything beside it that it refers to.
 *
 * @param place a file, or a URL beginning with http:// or https://
 * @throws {CommandError} if it cannot be read
 */
export async function readSource(place: string): Promise<SourceDocument> {
  const isUrl = /^https?:\/\//i.test(place)
  const read = isUrl ? download : readOne
  const shown = withoutPassword(place)
  const bytes = await read(place)
  const isJson = holdsJson(place, bytes)
  const content = parsed(shown, bytes, isJson)
  if (content['openapi'] === undefined && content['swagger'] === undefined) {
    throw new CommandError(`${shown} ${notOpenApi}`)
  }
  const files = new Map([['', { bytes, place: shown }]])
  const missing = new Set<string>()
  const queue = [{ path: '', content }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const reference of filesReferredTo(next.content)) {
      const path = posix.join(posix.dirname(next.path), reference)
      if (files.has(path)) continue
      if (path === '..' || path.startsWith('../')) {
        throw new CommandError(
          `${shown} refers to ${reference}, which lies above its folder: save it beside the document, or bundle the document first`,
        )
      }
      const at = isUrl ? new URL(path, place).href : join(place, '..', path)
      // The check of the document names the line that refers to it, and everything else that is wrong.
      if (!isUrl && !existsSync(at)) {
        missing.add(path)
        continue
      }
      const found = await read(at)
      const from = withoutPassword(at)
      files.set(path, { bytes: found, place: from })
      queue.push({ path, content: parsed(from, found, path.endsWith('.json')) })
    }
  }
  const statedVersion = statedVersionOf(content, bytes.toString('utf8'))
  return { content, statedVersion, isJson, files, missing }
}

async function readOne(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') throw new CommandError(`there is no file ${file}`)
    throw new CommandError(`cannot read ${file}: ${codeOf(cause) ?? reasonOf(cause)}`)
  }
}

async function download(url: string): Promise<Buffer> {
  try {
    const { href, authorization } = credentialsOf(url)
    const signal = AbortSignal.timeout(fetchMs)
    const response = await fetch(href, { signal, headers: { ...authorization } })
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of response.body ?? []) {
      size += piece.length
      if (size > sizeMax) throw new Error(`it has more than ${sizeMax} octets`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  } catch (error) {
    // Without the cause, whose message repeats the URL.
    throw new CommandError(`cannot fetch ${withoutPassword(url)}: ${reasonOf(error)}`)
  }
}

/** `fetch` refuses a user and a password in a URL. */
function credentialsOf(url: string) {
  const { username, password, href } = new URL(url)
  if (username === '' && password === '') return { href, authorization: undefined }
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  const value = `Basic ${Buffer.from(pair).toString('base64')}`
  return { href: plain.href, authorization: { authorization: value } }
}

function withoutPassword(place: string): string {
  const url = /^https?:/i.test(place) ? URL.parse(place) : null
  if (url === null || url.username + url.password === '') return place
  url.username = ''
  url.password = ''
  return url.href
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** Whether a document is to be read as JSON. YAML may begin with a brace, too. */
function holdsJson(place: string, bytes: Buffer): boolean {
  if (/\.ya?ml$/i.test(place) || !/^\s*\{/.test(bytes.toString('utf8', 0, 1_000))) return false
  const text = utf8Text(bytes)
  if (/\.json$/i.test(place) || typeof text !== 'string') return true
  const isSound = (isJson: boolean) => 'value' in parseText(text, { isJson })
  return isSound(true) || !isSound(false)
}

function parsed(place: string, bytes: Buffer, isJson: boolean): JsonObject {
  const text = utf8Text(bytes)
  if (typeof text !== 'string') {
    throw new CommandError(`${place}:${text.faultyLine} text-encoding: the line ${notUtf8}`)
  }
  return mappingIn(text, {
    place,
    isJson,
    otherwise: notOpenApi,
  })
}

const notOpenApi =
  'is not an OpenAPI document: it must be a mapping with the member openapi or swagger (e.g. openapi: 3.1.1)'

interface MappingOptions {
  /** The file or URL of the text. */
  readonly place: string
  readonly isJson: boolean
  /** What to say of another value than a mapping. */
  readonly otherwise: string
}

/** @throws {CommandError} with the lines that are wrong */
export function mappingIn(text: string, { place, isJson, otherwise }: MappingOptions): JsonObject {
  const read = parseText(text, { isJson })
  if ('faults' in read) {
    const lines = read.faults.map(
      ({ line, rule, message }) => `${place}:${line} ${rule}: ${message}`,
    )
    throw new CommandError(lines.join('\n'))
  }
  if (isJsonObject(read.value)) return read.value
  throw new CommandError(`${place} ${otherwise}`)
}
