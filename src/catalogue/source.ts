import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { codeOf } from '../platform/error-code.ts'
import type { Json, JsonObject } from './catalogue.ts'
import type { CatalogueProblem } from './catalogue-error.ts'
import { isJsonObject } from './json.ts'
import type { Origin, SourceFile } from './origin.ts'
import { readPlainYaml } from './plain-yaml.ts'

/** Where something stands: file, line and the members that lead to it, `limits[0].window`. */
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
  readonly member?: string | number
  readonly message: string
  readonly example?: string
}

/**
 * The YAML files of one load: parsed once each, and able to say of every
 * object and array where it stands in its file.
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
  /** Whether a file is there to be read; `outside` also when a symbolic link leads out of the folder of the configuration. */
  standing(path: string): Standing
  /** Lets `copy` stand where `original` stands. */
  adopt(copy: object, original: object): void
  /** Identifies what an object was parsed from: equal for all copies of the same place. */
  origin(at: object): object
  place(at: object, member?: string | number): Place
  report(fault: Fault): void
  /** Reports a fault of a file as a whole, in its first line. */
  reportFile(path: string, rule: string, message: string, example?: string): void
  /** Reports that the operating system would not let a file or folder be read. */
  reportUnreadable(path: string, error: unknown): void
}

export type Standing = 'inside' | 'outside' | 'missing'

/** Opens the sources of the configuration in `configDir`. */
export function createSources({ configDir }: { readonly configDir: string }): Sources {
  const problems: CatalogueProblem[] = []
  const contents = new Map<string, Json | undefined>()
  const standings = new Map<string, Standing>()
  // It goes with the sources; a weak one would cost a tenth of a load.
  const origins = new Map<object, Origin>()

  function originOf(at: object): Origin {
    const origin = origins.get(at)
    if (origin === undefined) throw new Error('a fault was reported at an object of no source')
    return origin
  }

  function place(at: object, member?: string | number): Place {
    const origin = originOf(at)
    const file = join(configDir, origin.file.path)
    const offset = member === undefined ? startOf(origin) : memberStart(origin, member)
    const keys = member === undefined ? keysOf(origin) : [...keysOf(origin), member]
    return { file, line: origin.file.lineAt(offset), path: pathOf(keys) }
  }

  function report({ rule, at, member, message, example }: Fault): void {
    const { file, line, path } = place(at, member)
    const where = path === '' ? '' : `${path}: `
    problems.push({ file, line, rule, message: where + message, ...(example && { example }) })
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

  function findStanding(path: string): Standing {
    const file = join(configDir, path)
    if (isOutside(relative(configDir, file))) return 'outside'
    if (!existsSync(file)) return 'missing'
    return isOutside(relative(realpathSync(configDir), realpathSync(file))) ? 'outside' : 'inside'
  }

  function parse(path: string): Json | undefined {
    let text: string
    try {
      text = readFileSync(join(configDir, path), 'utf8')
    } catch (error) {
      reportUnreadable(path, error)
      return undefined
    }
    const known = origins.size
    const plain = readPlainYaml({ text, file: { path, lineAt: lineIn(text) }, origins })
    if (plain !== undefined) return plain.content
    // What it had read before it gave up belongs to nothing.
    for (const container of [...origins.keys()].slice(known)) origins.delete(container)
    return parseWhole(path, text)
  }

  function parseWhole(path: string, text: string): Json | undefined {
    const lines = new LineCounter()
    const file: SourceFile = { path, lineAt: (offset) => lineAt(lines, offset) }
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      // Two spellings of one member, 200 and "200", are one member to JSON.
      uniqueKeys: (a, b) => isScalar(a) && isScalar(b) && String(a.value) === String(b.value),
    })
    let isSound = true
    let isReadable = true
    const fail = (rule: string, offset: number, message: string) => {
      isSound = false
      problems.push({ file: join(configDir, path), line: lineAt(lines, offset), rule, message })
    }
    for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
      if (code === 'DUPLICATE_KEY') {
        const key = /^[^\s:]*/.exec(text.slice(pos[0], pos[0] + 80))?.[0] ?? ''
        fail('duplicate-key', pos[0], `the member ${key} occurs twice in one mapping`)
      } else if (isReadable) {
        // What follows a syntax error is mostly its consequence.
        isReadable = false
        const isSeveral = code === 'MULTIPLE_DOCS'
        fail(
          'yaml-syntax',
          pos[0],
          isSeveral ? 'the file holds several YAML documents; keep one' : message,
        )
      }
    }

    function convert(node: unknown, parent: Origin | undefined, key: string | number): Json {
      if (isMap(node)) {
        const names: string[] = []
        const starts: number[] = []
        const origin: Origin = { file, parent, key, start: offsetOf(node), names, starts }
        const object: Record<string, Json> = {}
        for (const pair of node.items) {
          const name = isScalar(pair.key) ? String(pair.key.value) : undefined
          if (name === undefined || name === '__proto__') {
            fail('yaml-syntax', offsetOf(pair.key), 'a member name must be a plain text')
          } else {
            names.push(name)
            starts.push(offsetOf(pair.key))
            object[name] = convert(pair.value, origin, name)
          }
        }
        origins.set(object, origin)
        return object
      }
      if (isSeq(node)) {
        const starts = node.items.map(offsetOf)
        const origin: Origin = {
          file,
          parent,
          key,
          start: offsetOf(node),
          names: undefined,
          starts,
        }
        const array = node.items.map((item, index) => convert(item, origin, index))
        origins.set(array, origin)
        return array
      }
      if (isAlias(node)) {
        fail('yaml-syntax', offsetOf(node), 'YAML aliases are not supported, use $ref')
        return null
      }
      const value = isScalar(node) ? node.value : null
      if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
      if (typeof value === 'number' && Number.isFinite(value)) return value
      fail('yaml-syntax', offsetOf(node), 'the value has no JSON form')
      return null
    }
    if (!isSound) return undefined
    const content = convert(document.contents, undefined, '')
    return isSound ? content : undefined
  }

  return {
    problems,
    read(path) {
      if (!contents.has(path)) contents.set(path, parse(path))
      return contents.get(path)
    },
    standing(path) {
      // The file system is slower than all the rest of following a reference.
      const standing = standings.get(path) ?? findStanding(path)
      standings.set(path, standing)
      return standing
    },
    adopt: (copy, original) => origins.set(copy, originOf(original)),
    origin: originOf,
    place,
    report,
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

/** A container stands where its member name stands; a block mapping itself begins a line later. */
function startOf(origin: Origin): number {
  return origin.parent === undefined ? origin.start : memberStart(origin.parent, origin.key)
}

function memberStart(origin: Origin, member: string | number): number {
  const { names, starts } = origin
  if (names === undefined) return starts[Number(member)] ?? origin.start
  return starts[names.indexOf(String(member))] ?? startOf(origin)
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

/** Counts when it is asked, which only faults make necessary. */
function lineIn(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length
}

function lineAt(lines: LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line)
}
