import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'

/** Something of a YAML text that cannot be read, or has no JSON form. */
export interface YamlFault {
  readonly rule: 'yaml-syntax' | 'duplicate-key' | 'document-too-large'
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** What the commonest mistakes are, where the library speaks of its own terms. */
const plainWords: Readonly<Partial<Record<Yaml.ErrorCode, string>>> = {
  BAD_INDENT: 'the indentation differs from the lines above, or a bracket is not closed',
  BLOCK_AS_IMPLICIT_KEY:
    'this line or the next is indented wrongly, or a text with ": " needs quotation marks',
  MULTILINE_IMPLICIT_KEY: 'the line has no ": " between a name and its value',
  MULTIPLE_DOCS: 'the file holds several YAML documents; keep one',
}

// Named `require`, so that the program that packs a release sees which package is needed.
const require = createRequire(import.meta.url)

/**
 * The library that keeps the position of everything. It takes six times as long
 * as js-yaml, and as long to load as a document to read, so only a fault
 * loads it.
 */
function loadYaml(): typeof Yaml {
  // A require has no type of its own.
  return require('yaml') as typeof Yaml
}

/** Reads a YAML text, and lists what keeps it from being one JSON value, as far as that is known. */
export function readYaml(text: string): {
  readonly value: unknown
  readonly faults: readonly YamlFault[]
} {
  const { isNode, isScalar, LineCounter, parseDocument, visit } = loadYaml()
  const lineCounter = new LineCounter()
  const faults: YamlFault[] = []
  const add = (rule: YamlFault['rule'], offset: number, message: string) =>
    faults.push({ rule, line: lineAt(lineCounter, offset), message })
  const addAt = (node: unknown, message: string) =>
    add('yaml-syntax', isNode(node) ? (node.range?.[0] ?? 0) : 0, message)

  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    // Two spellings of one member, 200 and "200", are one member to JSON.
    uniqueKeys: (a, b) => isScalar(a) && isScalar(b) && String(a.value) === String(b.value),
  })
  let isReadable = true
  for (const { code, pos, message } of [...document.errors, ...document.warnings]) {
    if (code === 'DUPLICATE_KEY') {
      const key = /^[^\s:]*/.exec(text.slice(pos[0], pos[0] + 80))?.[0] ?? ''
      add('duplicate-key', pos[0], `the member ${key} occurs twice in one mapping`)
    } else if (isReadable) {
      // What follows a syntax error is mostly its consequence.
      isReadable = false
      add('yaml-syntax', pos[0], plainWords[code] ?? message)
    }
  }
  if (faults.length > 0) return { value: undefined, faults }
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value !== '__proto__') return
      addAt(key, 'a member name must be a plain text')
    },
    Scalar(key, scalar) {
      const { value } = scalar
      const isNumber = typeof value === 'number' && Number.isFinite(value)
      if (key === 'key' || value === null || isNumber) return
      if (typeof value !== 'string' && typeof value !== 'boolean') {
        addAt(scalar, 'the value has no JSON form')
      }
    },
  })
  return { value: faults.length > 0 ? undefined : readValue(document), faults }
}

/** Undefined if an alias leads to nothing. */
function readValue(document: Yaml.Document): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

/** Makes the function that finds the line of what the member names lead to: of its name, or of an item. */
export function createLineFinder(text: string): (keys: readonly (string | number)[]) => number {
  const { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } = loadYaml()
  const lineCounter = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter, prettyErrors: false })
  return (keys) => {
    let node: unknown = contents
    let range = contents?.range ?? undefined
    for (const key of keys) {
      if (isMap(node)) {
        const pair = node.items.find(
          (each) => isScalar(each.key) && String(each.key.value) === String(key),
        )
        // A missing member has the position of its mapping.
        if (!isScalar(pair?.key)) break
        range = pair.key.range ?? range
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(key)]
        range = (isNode(node) ? node.range : undefined) ?? range
      } else break
    }
    return lineAt(lineCounter, range?.[0] ?? 0)
  }
}

function lineAt(lines: Yaml.LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line)
}
