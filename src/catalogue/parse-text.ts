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
    if (!(error instanceof YAMLException)) throw error
    unread = { ...unread, line: (error.mark?.line ?? 0) + 1, message: error.reason }
  }
  const { value, faults } = readYaml(text)
  if (faults.length > 0) return { faults }
  // Closing brackets at the indentation of their line are common in documents, and refused by the first parser only.
  const isIndentation = unread.message === 'deficient indentation'
  return isIndentation && hasJsonForm(value) ? { value } : { faults: [unread] }
}

/** JSON that the faster parser reads; else as YAML, of which JSON is a part. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return load(text, { maxAliases: 0 })
  }
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
