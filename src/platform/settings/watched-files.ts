import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { codeOf } from '../log/error-code.ts'
import type { Logger } from '../log/log.ts'

/** The newest valid content of some files. */
export interface Watched<Value> {
  current(): Value
  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: (value: Value) => void): () => void
}

/** A value that another process watches. */
export interface WatchedCopy<Value> extends Watched<Value> {
  take(value: Value): void
}

export function createWatchedCopy<Value>(first: Value): WatchedCopy<Value> {
  const listeners = new Set<(value: Value) => void>()
  let value = first
  return {
    current: () => value,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    take(taken) {
      value = taken
      for (const listener of listeners) listener(value)
    },
  }
}

/** A file, and the setting that names it. */
export interface NamedFile {
  readonly setting: string
  readonly path: string
}

/** Files that are valid only together. */
export interface FileGroup<Value> {
  /** Label `files` of the metrics, and a field of log lines. */
  readonly name: string
  readonly files: readonly NamedFile[]
  /**
   * Creates the value from the contents, in the order of `files`. Throws an Error
   * whose message says what is wrong, without a secret. The active value is
   * undefined at startup.
   */
  readonly parse: (contents: readonly Buffer[], active: Value | undefined) => Value | Promise<Value>
}

/** Files required at startup are missing or invalid. The message names their settings. */
export class FilesInvalid extends Error {
  constructor(files: readonly NamedFile[], cause: unknown) {
    super(`${files.map(({ setting }) => setting).join(', ')}: ${reasonOf(cause)}`, { cause })
    this.name = 'FilesInvalid'
  }
}

/** Reads files again when they change, while the process runs. */
export interface WatchedFiles {
  /**
   * Reads a group for the first time.
   *
   * @throws {FilesInvalid}
   */
  watch<Value>(group: FileGroup<Value>): Promise<Watched<Value>>
  /**
   * Reads every group now. Invalid content is logged, and the current value
   * stays. Resolves to whether all groups are valid.
   */
  reload(): Promise<boolean>
  /** Calls `listener` after each judged change. @param fault undefined: the files are valid */
  onJudged(listener: (files: string, fault: string | undefined) => void): void
  /** Checks for changes once, as the timer does. A change applies when two checks in a row find the same content. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface WatchedFilesOptions {
  readonly metricsRegistry: Registry
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Interval between two checks. (Default: 2000) */
  readonly everyMs?: number
}

/**
 * Starts watching. It reads the files again every two seconds and compares their
 * content. File events would be cheaper, but network file systems send none,
 * and Kubernetes updates a mounted secret by swapping a symbolic link two
 * folders above the file.
 *
 * The files of a pair are often replaced one after the other. So a change
 * applies only if two checks in a row find it; `reload` applies it immediately.
 */
export function createWatchedFiles(options: WatchedFilesOptions): WatchedFiles {
  const { metricsRegistry, log, everyMs = 2_000 } = options
  const groups: Group[] = []
  const listeners: Parameters<WatchedFiles['onJudged']>[0][] = []
  const registers = [metricsRegistry]
  const reloads = new Counter({
    name: 'gateway_file_reloads_total',
    help: 'Changed certificates, secrets and other watched files, by result',
    labelNames: ['files', 'result'],
    registers,
  })
  const refused = new Gauge({
    name: 'gateway_files_refused',
    help: '1 while the files on the disk are invalid and the previous ones stay active, otherwise 0',
    labelNames: ['files'],
    registers,
  })
  /** Runs one pass at a time: concurrent passes could apply older content last. */
  let queue: Promise<unknown> = Promise.resolve()

  function inTurn<Result>(pass: () => Promise<Result>): Promise<Result> {
    const result = queue.then(pass)
    queue = result.catch(() => undefined)
    return result
  }

  function outcome(name: string, error: unknown): boolean {
    const isValid = error === undefined
    const fault = isValid ? undefined : reasonOf(error)
    reloads.inc({ files: name, result: isValid ? 'success' : 'failure' })
    refused.set({ files: name }, isValid ? 0 : 1)
    if (isValid) log.info({ files: name }, 'changed files reloaded')
    else {
      log.error(
        { files: name, reason: fault },
        'changed files refused, the previous ones stay active',
      )
    }
    for (const listener of listeners) listener(name, fault)
    return isValid
  }

  const timer = setInterval(() => void check(), everyMs).unref()

  function check(): Promise<void> {
    return inTurn(async () => {
      for (const group of groups) await group.check(outcome)
    })
  }

  return {
    async watch<Value>(files: FileGroup<Value>) {
      const group = await openGroup(files)
      for (const result of ['success', 'failure']) reloads.inc({ files: files.name, result }, 0)
      refused.set({ files: files.name }, 0)
      groups.push(group)
      return group
    },
    reload: () =>
      inTurn(async () => {
        let areValid = true
        for (const group of groups) areValid = (await group.reload(outcome)) && areValid
        return areValid
      }),
    onJudged: (listener) => void listeners.push(listener),
    check,
    async close() {
      clearInterval(timer)
      await queue
    },
  }
}

/**
 * Reports the outcome of a change, and returns whether it was valid.
 * @param error why the content is invalid; undefined when it is valid
 */
type Report = (name: string, error: unknown) => boolean

interface Group {
  check(report: Report): Promise<void>
  reload(report: Report): Promise<boolean>
}

/** Result of a check. */
interface Found {
  /** Equal for equal content. */
  readonly digest: string
  readonly contents: readonly Buffer[] | undefined
  readonly error: unknown
}

async function openGroup<Value>({
  name,
  files,
  parse,
}: FileGroup<Value>): Promise<Group & Watched<Value>> {
  const first = await find(files)
  let active = first.digest
  /** Digest of the last judged content, valid or not. */
  let judged = first.digest
  let pending: string | undefined
  let copy: WatchedCopy<Value>
  try {
    copy = createWatchedCopy(await parsed(first, undefined))
  } catch (error) {
    throw new FilesInvalid(files, error)
  }

  async function parsed({ contents, error }: Found, current: Value | undefined): Promise<Value> {
    if (contents === undefined) throw error
    return parse(contents, current)
  }

  async function judge(found: Found, report: Report): Promise<boolean> {
    judged = found.digest
    pending = undefined
    let value: Value
    try {
      value = await parsed(found, copy.current())
    } catch (error) {
      return report(name, error)
    }
    active = found.digest
    copy.take(value)
    return report(name, undefined)
  }

  return {
    ...copy,
    async check(report) {
      const found = await find(files)
      if (found.digest === judged) pending = undefined
      else if (found.digest === pending) await judge(found, report)
      else pending = found.digest
    },
    async reload(report) {
      const found = await find(files)
      // Nothing to do, unless invalid files were replaced by the active content again.
      if (found.digest === active && judged === active) return true
      return judge(found, report)
    },
  }
}

async function find(files: readonly NamedFile[]): Promise<Found> {
  try {
    const contents = await Promise.all(files.map(({ path }) => readFile(path)))
    const digest = createHash('sha256')
    for (const content of contents) digest.update(`${content.length}:`).update(content)
    return { digest: digest.digest('base64'), contents, error: undefined }
  } catch (error) {
    return { digest: String(codeOf(error)), contents: undefined, error }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
