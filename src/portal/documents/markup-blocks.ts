/** A block of a text in Markdown. Items of a list and rows of a table are one line each. */
export interface MarkupBlock {
  readonly kind: 'paragraph' | 'heading' | 'bullets' | 'numbers' | 'table' | 'code'
  readonly lines: string[]
}

/** A block with its place in the text. */
interface PlacedBlock extends MarkupBlock {
  /** Where it begins, from 0. */
  readonly line: number
  /** Number of `#` of a heading; 0 for other blocks. */
  readonly level: number
}

/**
 * Splits a text into the blocks of Markdown that the documents of APIs use.
 * Blank lines end a block, except between items of a list.
 */
export function blocksOf(text: string): readonly MarkupBlock[] {
  return placedBlocks(text).map(({ kind, lines }) => ({ kind, lines }))
}

function placedBlocks(text: string): readonly PlacedBlock[] {
  const blocks: PlacedBlock[] = []
  let isCode = false
  let isAfterBlank = false
  let open: PlacedBlock | undefined
  const begin = (kind: MarkupBlock['kind'], at: number, level = 0): string[] => {
    const isList = kind === 'bullets' || kind === 'numbers'
    if (open?.kind !== kind || kind === 'heading' || (isAfterBlank && !isList)) {
      open = { kind, lines: [], line: at, level }
      blocks.push(open)
    }
    isAfterBlank = false
    return open.lines
  }
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      isCode = !isCode
      open = undefined
      if (isCode) begin('code', at)
    } else if (isCode) begin('code', at).push(line)
    else if (line.trim() === '') isAfterBlank = true
    else if (/^#{1,4} /.test(line)) {
      begin('heading', at, line.indexOf(' ')).push(line.replace(/^#+ /, ''))
    } else if (/^[-*] /.test(line)) begin('bullets', at).push(line.slice(2))
    else if (/^\d+\. /.test(line)) begin('numbers', at).push(line.replace(/^\d+\. /, ''))
    else if (line.startsWith('|')) begin('table', at).push(line)
    else if (/^\s/.test(line) && !isAfterBlank && open !== undefined && open.lines.length > 0) {
      open.lines.push(`${open.lines.pop() ?? ''} ${line.trim()}`)
    } else begin('paragraph', at).push(line)
  }
  return blocks
}

/** A part of a text that opens when a reader asks for it. */
export interface MarkupSection {
  /** Undefined: it goes on where the beginning was cut. */
  readonly title: string | undefined
  /** Markdown. */
  readonly text: string
}

/** Characters after which the beginning of a text ends with its block. */
const beginningMin = 900

/**
 * Splits a text in Markdown into its beginning and sections, one for each
 * heading of the highest level after the first words. A beginning without such
 * headings is cut when it is long, so that what follows the text stays near.
 */
export function partsOf(text: string): {
  readonly beginning: string
  readonly sections: readonly MarkupSection[]
} {
  const blocks = placedBlocks(text)
  const first = blocks.findIndex(({ kind }) => kind !== 'heading')
  const said = first === -1 ? [] : blocks.slice(first)
  const highest = Math.min(...said.flatMap(({ level }) => (level === 0 ? [] : [level])))
  const starts: PlacedBlock[] = []
  let characters = 0
  for (const block of said) {
    const isCut = starts.length === 0 && characters >= beginningMin
    if (block.level === highest || isCut) starts.push(block)
    characters += block.lines.join(' ').length
  }
  const lines = text.split('\n')
  const sections = starts.map((start, index) => {
    const isTitled = start.level === highest
    const own = lines.slice(start.line + Number(isTitled), starts[index + 1]?.line)
    return { title: isTitled ? start.lines.join(' ') : undefined, text: own.join('\n') }
  })
  return {
    beginning: lines.slice(0, starts[0]?.line).join('\n'),
    sections: sections.filter((section) => section.text.trim() !== ''),
  }
}
