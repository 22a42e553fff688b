import { load, YAMLException } from 'js-yaml'
import type { Json } from './catalogue.ts'
import { readYaml, type YamlFault } from './read-yaml.ts'

/** A text as a JSON value, or what keeps it from being one. */
export type ParsedText = { readonly value: Json } | { readonly faults: readonly YamlFault[] }

/** Aliases of YAML repeat values; a file with more aliases is a mistake, or an attack. */
const aliasesMax = 10_000
/** Values, and characters of texts, that a file may have once its aliases are followed. */
const valuesMax = 5_000_000
const charactersMax = 64 * 1024 * 1024
/** Levels of mappings and lists. */
const depthMax = 500

/**
 * Parses a text of YAML or JSON. It must have a JSON form: no dates, infinite
 * numbers, or members that are no texts.
 */
export function parseText(text: string, options: { readonly isJson: boolean }): ParsedText {
  try {
    return parse(text, options)
  } catch (error) {
    // The parsers recurse, too: they end with a RangeError.
    if (!(error instanceof TooLarge) && !(error instanceof RangeError)) throw error
    const message = `has more than ${depthMax} levels, or more than ${valuesMax} values once its aliases are followed`
    return { faults: [{ rule: 'document-too-large', line: 1, message }] }
  }
}

function parse(text: string, { isJson }: { readonly isJson: boolean }): ParsedText {
  let unread: YamlFault = { rule: 'yaml-syntax', line: 1, message: 'the value has no JSON form' }
  try {
    // Duplicate members and several documents make it throw.
    const value = isJson ? readJson(text) : load(text, { maxAliases: aliasesMax })
    if (hasJsonForm(value)) return { value }
  } catch (error) {
    if (error instanceof SyntaxError) return { faults: [jsonFault(text)] }
    if (!(error instanceof YAMLException)) throw error
    unread = { ...unread, line: (error.mark?.line ?? 0) + 1, message: error.reason }
  }
  const { value, faults } = readYaml(text)
  if (faults.length > 0) return { faults }
  // Closing brackets at the indentation of their line are common in documents, and refused by the first parser only.
  const isIndentation = unread.message === 'deficient indentation'
  return isIndentation && hasJsonForm(value) ? { value } : { faults: [unread] }
}

/**
 * JSON, which YAML reads a second time to refuse a member that occurs twice:
 * of these `JSON.parse` keeps the last.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  return membersIn(text) === membersOf(value) ? value : load(text, { maxAliases: 0 })
}

const byteOrderMark = '\uFEFF'

/**
 * Where a text is not JSON. V8 names the line, or quotes what follows from 10
 * characters before the fault on. Near the beginning it would quote everything, so
 * it reads the text once more behind 20 spaces.
 */
function jsonFault(text: string): YamlFault {
  const read = text.replace(/^\uFEFF?/, ' '.repeat(20))
  const message = complaintAbout(read)
  const [, line] = / \(line (\d+) column \d+\)$/.exec(message) ?? []
  const [, around] = /, \.{3}"(.*)"(?:\.{3})? is not valid JSON$/s.exec(message) ?? []
  const end = around === undefined ? read.length : read.indexOf(around) + 10
  const words = message.replace(/(?: in JSON)? at position .*$|(?<='), .*$/s, '')
  return {
    rule: 'yaml-syntax',
    line: Number(line ?? read.slice(0, end).split('\n').length),
    message: `the file is not JSON: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
  }
}

/** What V8 says of a text that is not JSON. */
function complaintAbout(text: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
  return ''
}

/** How many members the text of a JSON value has. */
function membersIn(text: string): number {
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === colon) members += 1
    else if (code === quote) at = endOfString(text, at)
  }
  return members
}

const colon = ':'.charCodeAt(0)
const quote = '"'.charCodeAt(0)
const backslash = '\\'.charCodeAt(0)

/** @param start where its opening quotation mark is */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at)) {
    at += code === backslash ? 2 : 1
  }
  return at
}

/** How many members a JSON value has, with those of all that it holds. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const member of Object.values(value)) members += membersOf(member)
  return members
}

/** @throws {TooLarge} */
function hasJsonForm(root: unknown): root is Json {
  let values = 0
  let characters = 0
  return isJson(root, 0)

  function isJson(value: unknown, depth: number): boolean {
    values += 1
    if (typeof value === 'string') characters += value.length
    if (values > valuesMax || characters > charactersMax || depth > depthMax) throw new TooLarge()
    if (value === undefined) return false
    if (typeof value === 'number') return Number.isFinite(value)
    if (typeof value !== 'object' || value === null) return true
    if (Object.hasOwn(value, '__proto__')) return false
    return Object.values(value).every((member) => isJson(member, depth + 1))
  }
}

class TooLarge extends Error {}
