import type { SampleText, SampleValue } from './sample-call.ts'

/** How a language writes the values of JSON. */
export interface Notation {
  readonly text: (text: SampleText) => string
  readonly constant: (value: null | boolean | number) => string
  /** The name of a member of an object. */
  readonly name: (name: string) => string
  /** Between the braces and the members of an object on one line. */
  readonly padding: '' | ' '
  /** One step of indentation. */
  readonly indentation: string
  readonly hasTrailingComma: boolean
}

const columns = 80

/** Writes a value on one line where it fits behind its indentation, else a member a line. */
export function writeValue(value: SampleValue, notation: Notation, indentation = ''): string {
  if (value.kind === 'text') return notation.text(value.text)
  if (value.kind === 'constant') return notation.constant(value.value)
  const line = onOneLine(value, notation)
  if (indentation.length + line.length <= columns) return line
  const inner = `${indentation}${notation.indentation}`
  const rows =
    value.kind === 'list'
      ? value.items.map((item) => writeValue(item, notation, inner))
      : value.members.map(
          ([name, member]) => `${notation.name(name)}: ${writeValue(member, notation, inner)}`,
        )
  const [open, close] = value.kind === 'list' ? '[]' : '{}'
  const end = notation.hasTrailingComma ? ',' : ''
  return `${open}\n${inner}${rows.join(`,\n${inner}`)}${end}\n${indentation}${close}`
}

function onOneLine(value: SampleValue, notation: Notation): string {
  if (value.kind === 'text') return notation.text(value.text)
  if (value.kind === 'constant') return notation.constant(value.value)
  if (value.kind === 'list') {
    return `[${value.items.map((item) => onOneLine(item, notation)).join(', ')}]`
  }
  if (value.members.length === 0) return '{}'
  const members = value.members.map(
    ([name, member]) => `${notation.name(name)}: ${onOneLine(member, notation)}`,
  )
  return `{${notation.padding}${members.join(', ')}${notation.padding}}`
}
