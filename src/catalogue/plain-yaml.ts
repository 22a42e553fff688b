import type { Json } from './catalogue.ts'
import type { Origin, SourceFile } from './origin.ts'

/** The content of a text that is entirely plain. */
export interface PlainYaml {
  readonly content: Json
}

export interface PlainYamlOptions {
  readonly text: string
  readonly file: SourceFile
  /** Gets the place of every object and array. */
  readonly origins: Map<object, Origin>
}

/**
 * Reads YAML as our documents are written: block mappings and sequences, flow
 * collections, scalars on one line, literal and folded blocks, comments. That
 * is a tenth of the work of a whole parser, which builds a tree of tokens
 * first, and a start waits for it.
 *
 * It never guesses. Whatever is not certainly plain, faults included, makes it
 * give up, and the whole parser is asked, which also words the faults. What it
 * does read, it reads as that parser with the core schema of YAML 1.2; a test
 * holds both against each other.
 *
 * @returns undefined when it gave up
 */
export function readPlainYaml(options: PlainYamlOptions): PlainYaml | undefined {
  const { text } = options
  if (!text.endsWith('\n') || notPlain.test(text)) return undefined
  try {
    return { content: createReader(options).document() }
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

/** Tabs, line ends other than the usual one, what should not be in a text at all, and marks of documents. */
const notPlain = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]|^(?:---|\.\.\.|%)/m

class NotPlain extends Error {}

function giveUp(): never {
  throw new NotPlain()
}

/** A member name before its colon. Names that YAML would take for something else are left to the whole parser. */
const blockName = /(?:'((?:[^'\n]|'')*)'|([A-Za-z_$/][\w$./{}+-]*)):(?= |\n|$)/y
const flowName = /(?:'((?:[^'\n]|'')*)'|([A-Za-z_$/][\w$./+-]*)):(?= |\n)/y
const otherNames = /^(?:true|false|null|__proto__)$/i
/** YAML has a bound at 1,024 characters for a name and what is around it. */
const nameMax = 1000
/** A scalar that stands for itself begins so; everything else may be an indicator. */
const plainStart = /[\p{L}0-9_/<$(.^=+]|-(?=[A-Za-z0-9])/uy
const singleQuoted = /'((?:[^'\n]|'')*)'/y
const doubleQuoted = /"([^"\\\n]*)"/y
const blockHeader = /([|>])(-?) *(?=\n)/y
const wholeNumber = /^-?(?:0|[1-9][0-9]{0,14})$/
const decimal = /^-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}$/
/** What the core schema takes for a number, an infinity, a truth or nothing, in a spelling we do not read. */
const otherValues =
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan|true|false|null)$/i

function createReader({ text, file, origins }: PlainYamlOptions) {
  /** Where reading goes on. */
  let at = 0
  /** The line reading is in begins here. */
  let lineStart = 0

  function matchHere(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    return pattern.exec(text)
  }

  /** Moves to the first character of the next line with content. Returns its indentation, -1 at the end. */
  function toContent(): number {
    for (;;) {
      lineStart = at
      while (text[at] === ' ') at += 1
      if (at >= text.length) return -1
      if (text[at] === '#') {
        const end = text.indexOf('\n', at)
        at = end === -1 ? text.length : end + 1
      } else if (text[at] === '\n') at += 1
      else return at - lineStart
    }
  }

  /** Ends a line after a value: nothing but spaces and a comment may follow. */
  function endLine(): void {
    const from = at
    while (text[at] === ' ') at += 1
    if (at >= text.length) return
    if (text[at] === '#' && at > from) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    }
    if (at < text.length && text[at] !== '\n') giveUp()
    at += 1
  }

  /** Notes that a container begins here. */
  function open<Names extends string[] | undefined>(
    container: object,
    parent: Origin | undefined,
    key: string | number,
    names: Names,
  ) {
    const origin = { file, parent, key, start: at, names, starts: [] as number[] }
    origins.set(container, origin)
    return origin
  }

  function nameOf(match: RegExpExecArray, known: readonly string[]): string {
    const name = match[2] ?? match[1]?.replaceAll("''", "'") ?? giveUp()
    // A name twice is a fault, which the whole parser words.
    if (otherNames.test(name) || name.length > nameMax || known.includes(name)) giveUp()
    return name
  }

  /** A mapping whose names begin at the column `indent`; `at` is its first. */
  function blockMapping(indent: number, parent: Origin | undefined, key: string | number): Json {
    const object: Record<string, Json> = {}
    const origin = open(object, parent, key, [] as string[])
    for (;;) {
      const match = matchHere(blockName) ?? giveUp()
      const name = nameOf(match, origin.names)
      origin.names.push(name)
      origin.starts.push(at)
      at += match[0].length
      object[name] = blockValue(indent, origin, name)
      const next = toContent()
      if (next < indent) {
        at = lineStart
        return object
      }
      if (next > indent || text[at] === '-') giveUp()
    }
  }

  /** What follows a name and its colon. */
  function blockValue(indent: number, parent: Origin, name: string): Json {
    while (text[at] === ' ') at += 1
    if (at < text.length && text[at] !== '\n' && text[at] !== '#') {
      return inlineValue(indent, parent, name)
    }
    endLine()
    const next = toContent()
    if (next >= indent && text.startsWith('- ', at)) return blockSequence(next, parent, name)
    if (next > indent) {
      if (text[at] === '[' || text[at] === '{') return inlineValue(indent, parent, name)
      if (matchHere(blockName) === null) giveUp()
      return blockMapping(next, parent, name)
    }
    // The line belongs to an enclosing block.
    at = lineStart
    return null
  }

  /** A sequence whose dashes stand at the column `indent`; `at` is the first. */
  function blockSequence(indent: number, parent: Origin, key: string): Json {
    const array: Json[] = []
    const origin = open(array, parent, key, undefined)
    for (;;) {
      if (!text.startsWith('- ', at)) giveUp()
      at += 1
      while (text[at] === ' ') at += 1
      const index = array.length
      origin.starts.push(at)
      array.push(
        matchHere(blockName) === null
          ? inlineValue(indent, origin, index)
          : blockMapping(at - lineStart, origin, index),
      )
      const next = toContent()
      if (next > indent) giveUp()
      if (next < indent || !text.startsWith('- ', at)) {
        at = lineStart
        return array
      }
    }
  }

  /** A value that begins in this line, of a block at the column `indent`. */
  function inlineValue(indent: number, parent: Origin, key: string | number): Json {
    const header = matchHere(blockHeader)
    if (header !== null) {
      at += header[0].length + 1
      return blockScalar(indent, header[1] === '>', header[2] === '-')
    }
    let value: Json
    if (text[at] === '{' || text[at] === '[') value = flow(indent, parent, key)
    else value = quoted() ?? plain(plainEnd())
    endLine()
    return value
  }

  function quoted(): string | undefined {
    const match = text[at] === "'" ? matchHere(singleQuoted) : matchHere(doubleQuoted)
    if (match === null) return undefined
    at += match[0].length
    const [whole, content = ''] = match
    return whole.startsWith("'") ? content.replaceAll("''", "'") : content
  }

  /** Where a plain scalar of a block ends: at the end of its line, or before a comment. */
  function plainEnd(): number {
    const newline = text.indexOf('\n', at)
    // Of the line only: what is sought may be far away, or nowhere.
    const line = text.slice(at, newline)
    const comment = line.indexOf(' #')
    const content = comment === -1 ? line : line.slice(0, comment)
    if (content.includes(': ') || content.endsWith(':')) giveUp()
    let end = at + content.length
    while (text[end - 1] === ' ') end -= 1
    return end
  }

  function plain(end: number): Json {
    if (matchHere(plainStart) === null) giveUp()
    const value = text.slice(at, end)
    at = end
    if (wholeNumber.test(value) || decimal.test(value)) return Number(value)
    if (value === 'true') return true
    if (value === 'false') return false
    if (value === 'null') return null
    if (otherValues.test(value)) giveUp()
    return value
  }

  function blockScalar(indent: number, isFolded: boolean, isStripped: boolean): string {
    const lines: string[] = []
    let margin = -1
    for (;;) {
      const newline = text.indexOf('\n', at)
      const end = newline === -1 ? text.length : newline
      let column = 0
      while (text[at + column] === ' ') column += 1
      const isBlank = at + column >= end
      if (isBlank) {
        if (margin === -1 || column > margin) giveUp()
        lines.push('')
      } else {
        if (column <= indent) break
        if (margin === -1) margin = column
        // More of a margin is kept in a literal block, and stops the folding in the other.
        if (column < margin || (isFolded && column > margin)) giveUp()
        if (isFolded && text[end - 1] === ' ') giveUp()
        lines.push(text.slice(at + margin, end))
      }
      at = end + 1
      if (newline === -1) break
    }
    // Blank lines at the end count for nothing: the line break of the last line is kept, or not.
    while (lines.at(-1) === '') lines.pop()
    if (lines.length === 0) giveUp()
    const content = isFolded ? fold(lines) : lines.join('\n')
    return isStripped ? content : `${content}\n`
  }

  /** A collection in brackets, on one line or more. */
  function flow(indent: number, parent: Origin, key: string | number): Json {
    return text[at] === '{' ? flowMapping(indent, parent, key) : flowSequence(indent, parent, key)
  }

  /** Skips spaces and ends of lines; lines that follow are further in than the block. */
  function skip(indent: number): void {
    for (;;) {
      while (text[at] === ' ') at += 1
      if (text[at] !== '\n') break
      at += 1
      const begin = at
      while (text[at] === ' ') at += 1
      if (text[at] !== '\n' && at - begin <= indent) giveUp()
    }
    if (at >= text.length || text[at] === '#') giveUp()
  }

  function flowMapping(indent: number, parent: Origin, key: string | number): Json {
    const object: Record<string, Json> = {}
    const origin = open(object, parent, key, [] as string[])
    at += 1
    skip(indent)
    while (text[at] !== '}') {
      const match = matchHere(flowName) ?? giveUp()
      const name = nameOf(match, origin.names)
      origin.names.push(name)
      origin.starts.push(at)
      at += match[0].length
      skip(indent)
      object[name] = flowValue(indent, origin, name)
      nextEntry(indent, '}')
    }
    at += 1
    return object
  }

  function flowSequence(indent: number, parent: Origin, key: string | number): Json {
    const array: Json[] = []
    const origin = open(array, parent, key, undefined)
    at += 1
    skip(indent)
    while (text[at] !== ']') {
      origin.starts.push(at)
      array.push(flowValue(indent, origin, array.length))
      nextEntry(indent, ']')
    }
    at += 1
    return array
  }

  /** Moves over a comma to what follows it, or to the end of the collection. */
  function nextEntry(indent: number, close: string): void {
    skip(indent)
    if (text[at] === close) return
    if (text[at] !== ',') giveUp()
    at += 1
    skip(indent)
    if (text[at] === close || text[at] === ',') giveUp()
  }

  function flowValue(indent: number, parent: Origin, key: string | number): Json {
    if (text[at] === '{' || text[at] === '[') return flow(indent, parent, key)
    const content = quoted()
    if (content !== undefined) return content
    let end = at
    while (end < text.length && !',[]{}\n'.includes(text[end] ?? '')) {
      const next = text[end + 1] ?? '\n'
      if (text[end] === ':' && ' ,[]{}\n'.includes(next)) giveUp()
      if (text[end] === ' ' && next === '#') giveUp()
      end += 1
    }
    while (text[end - 1] === ' ') end -= 1
    return plain(end)
  }

  return {
    document(): Json {
      if (toContent() !== 0) giveUp()
      const content = blockMapping(0, undefined, '')
      if (at < text.length && toContent() !== -1) giveUp()
      return content
    },
  }
}

/** Lines become words of one line, blank lines ends of lines. */
function fold(lines: readonly string[]): string {
  let content = ''
  let blanks = 0
  for (const [index, line] of lines.entries()) {
    if (line === '') blanks += 1
    else {
      content += index === 0 ? line : (blanks === 0 ? ' ' : '\n'.repeat(blanks)) + line
      blanks = 0
    }
  }
  return content
}
