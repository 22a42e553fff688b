import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { codeOf, ignoreMissing } from '../platform/log/error-code.ts'
import type { Json, JsonObject } from './catalogue.ts'
import type { CatalogueProblem } from './catalogue-error.ts'
import { isJsonArray, isJsonObject } from './json.ts'
import { parseText } from './parse-text.ts'
import { createLineFinder } from './read-yaml.ts'
import { sha256 } from './sha256.ts'
import { notUtf8, utf8Text } from './utf8-text.ts'

/** A place: file, line and the members that lead to it, `limits[0].window`. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly path: string
}

/** The fault to report, at a container or at one of its members. */
export interface Fault {
  readonly rule: string
  /** An object or array that a source produced, or an adopted copy of one. */
  readonly at: object
  /** The member of {@link at} that is wrong; without it, the whole container is. */
  readonly member?: string | number | undefined
  readonly message: string
  readonly example?: string | undefined
}

/**
 * The YAML files of one load: parsed once each, and able to say of every
 * object and array where it is in its file.
 */
export interface Sources {
  /** What was reported so far, in the order it was found. */
  readonly problems: readonly CatalogueProblem[]
  /**
   * The content of a file, undefined when it is no YAML (which is reported).
   * Read synchronously: references are found while a document is walked.
   *
   * @param path below the folder of the configuration, with `/`
   */
  read(path: string): Json | undefined
  /** Whether a file, or a file in a folder of this path, was read. */
  hasRead(path: string): boolean
  /** Whether a file can be read; `outside` even if a symbolic link leads out of the folder of the configuration. */
  whereIs(path: string): Whereabouts
  /** Counts a file that is no YAML, such as a picture, among what was read. */
  note(path: string, content: Buffer): void
  /**
   * SHA-256 (hexadecimal) over every file that was read: paths, and contents as parsed. Equal for equal contents,
   * whatever the time stamps, comments and blanks of the files and the order of reading. The order of members counts:
   * the portal shows operations in the order of the document.
   */
  digest(): string
  /** Gives `copy` the place of `original`. */
  adopt(copy: object, original: object): void
  /** Identifies what an object was parsed from: equal for all copies of the same place. */
  origin(at: object): object
  place(at: object, member?: string | number): Place
  report(fault: Fault): void
  /** Warns about something that is served but probably wrong. */
  warn(fault: Fault): void
  /** What was noted so far. Finding the lines takes as long as reading the files. */
  warnings(): readonly CatalogueProblem[]
  /** Reports a fault of a file as a whole, in its first line. */
  reportFile(path: string, rule: string, message: string, example?: string): void
  /** Reports that the operating system would not let a file or folder be read. */
  reportUnreadable(path: string, error: unknown): void
}

export type Whereabouts = 'inside' | 'outside' | 'missing'

interface SourceFile {
  /** Below the folder of the configuration. */
  readonly path: string
  /** The line of what the member names lead to. */
  lineOf(keys: readonly (string | number)[]): number
}

/** The place of a container (an object or an array). Containers know their parents, so a path is made when it is needed. */
interface Origin {
  readonly file: SourceFile
  readonly parent: Origin | undefined
  /** The name or the index in {@link parent}. */
  readonly key: string | number
}

/** Opens the sources of the configuration in `configDir`. */
export function createSources({ configDir }: { readonly configDir: string }): Sources {
  const problems: CatalogueProblem[] = []
  const contents = new Map<string, Json | undefined>()
  /** SHA-256 (hexadecimal) of each file that was read, by path. */
  const digests = new Map<string, string>()
  const known = new Map<string, Whereabouts>()
  const files = new Map<string, SourceFile>()
  /** Places of the containers of all files read so far; made for the first fault, because most loads have none. */
  let origins = new Map<object, Origin>()
  /** What copies were made of. It goes with the sources; a weak map would cost a tenth of a load. */
  const originals = new Map<object, object>()

  function originOf(at: object): Origin {
    let original = at
    for (let next = originals.get(at); next !== undefined; next = originals.get(next))
      original = next
    const origin = origins.get(original) ?? findOrigins().get(original)
    if (origin === undefined) throw new Error('a fault was reported at an object of no source')
    return origin
  }

  function findOrigins(): ReadonlyMap<object, Origin> {
    origins = new Map()
    for (const [path, file] of files)
      addOrigins(contents.get(path), { file, parent: undefined, key: '' })
    return origins
  }

  function addOrigins(value: Json | undefined, origin: Origin): void {
    if (typeof value !== 'object' || value === null) return
    origins.set(value, origin)
    for (const [name, member] of Object.entries(value)) {
      const key = isJsonArray(value) ? Number(name) : name
      addOrigins(member, { file: origin.file, parent: origin, key })
    }
  }

  function place(at: object, member?: string | number): Place {
    const origin = originOf(at)
    const { file } = origin
    const keys = [...keysOf(origin), ...(member === undefined ? [] : [member])]
    return { file: join(configDir, file.path), line: file.lineOf(keys), path: pathOf(keys) }
  }

  const doubts: Fault[] = []

  function problemOf({ rule, at, member, message, example }: Fault): CatalogueProblem {
    const { file, line, path } = place(at, member)
    const where = path === '' ? '' : `${path}: `
    return { file, line, rule, message: where + message, ...(example && { example }) }
  }

  function reportFile(path: string, rule: string, message: string, example?: string): void {
    problems.push({
      file: join(configDir, path),
      line: 1,
      rule,
      message,
      ...(example && { example }),
    })
  }

  function reportUnreadable(path: string, error: unknown): void {
    const reason = String(codeOf(error) ?? 'unknown error')
    reportFile(path, 'file-unreadable', `cannot be read: ${reason}`)
  }

  function findWhereabouts(path: string): Whereabouts {
    const file = join(configDir, path)
    if (isOutside(relative(configDir, file))) return 'outside'
    if (!existsSync(file)) return 'missing'
    return isOutside(relative(realpathSync(configDir), realpathSync(file))) ? 'outside' : 'inside'
  }

  function parse(path: string): Json | undefined {
    const name = join(configDir, path)
    let bytes: Buffer
    try {
      bytes = readFileSync(name)
    } catch (error) {
      reportUnreadable(path, error)
      return undefined
    }
    const text = utf8Text(bytes)
    if (typeof text !== 'string') {
      const { faultyLine: line } = text
      problems.push({ file: name, line, rule: 'text-encoding', message: `the line ${notUtf8}` })
      return undefined
    }
    files.set(path, createSourceFile(configDir, path))
    const parsed = parseText(text, { isJson: path.endsWith('.json') })
    if ('value' in parsed) return parsed.value
    for (const fault of parsed.faults) problems.push({ file: name, ...fault })
    return undefined
  }

  return {
    problems,
    read(path) {
      if (contents.has(path)) return contents.get(path)
      const content = parse(path)
      contents.set(path, content)
      digests.set(path, sha256(JSON.stringify(content) ?? ''))
      return content
    },
    hasRead: (path) =>
      contents.has(path) || [...contents.keys()].some((file) => file.startsWith(`${path}/`)),
    whereIs(path) {
      // The file system is slower than all the rest of following a reference.
      const where = known.get(path) ?? findWhereabouts(path)
      known.set(path, where)
      return where
    },
    note: (path, content) => void digests.set(path, sha256(content)),
    digest: () =>
      sha256(JSON.stringify([...digests].sort(([one], [other]) => (one < other ? -1 : 1)))),
    adopt: (copy, original) => void originals.set(copy, original),
    origin: originOf,
    place,
    report: (fault) => void problems.push(problemOf(fault)),
    warn: (fault) => void doubts.push(fault),
    warnings: () => doubts.map(problemOf),
    reportFile,
    reportUnreadable,
  }
}

/** Whether the file's content is a mapping, the only thing our files may be at the top. */
export function readMapping(sources: Sources, path: string, rule: string): JsonObject | undefined {
  const content = sources.read(path)
  if (content === undefined) return undefined
  if (isJsonObject(content)) return content
  sources.reportFile(path, rule, 'the file must be a mapping')
  return undefined
}

function isOutside(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`)
}

function keysOf(origin: Origin): (string | number)[] {
  return origin.parent === undefined ? [] : [...keysOf(origin.parent), origin.key]
}

/** `['limits', 0, 'window']` reads `limits[0].window`. */
function pathOf(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? key : `${path}.${key}`
  }, '')
}

/** Reads the text again for the first line that is asked for: most loads ask for none, and texts take much memory. */
function createSourceFile(configDir: string, path: string): SourceFile {
  let find: SourceFile['lineOf'] | undefined
  return {
    path,
    lineOf(keys) {
      find ??= createLineFinder(textOf(join(configDir, path)))
      return find(keys)
    },
  }
}

/** Empty if the file vanished: every place is then in line 1. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return ignoreMissing(error) ?? ''
  }
}
