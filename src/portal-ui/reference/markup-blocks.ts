/** A block of a text in Markdown. Items of a list and rows of a table are one line each. */
export interface MarkupBlock {
  readonly kind: 'paragraph' | 'heading' | 'bullets' | 'numbers' | 'table' | 'code'
  readonly lines: string[]
}

/**
 * Splits a text into the blocks of Markdown that the documents of APIs use.
 * Blank lines end a block, except between items of a list.
 */
export function blocksOf(text: string): readonly MarkupBlock[] {
  const blocks: MarkupBlock[] = []
  let isCode = false
  let isAfterBlank = false
  let open: MarkupBlock | undefined
  const begin = (kind: MarkupBlock['kind']): string[] => {
    const isList = kind === 'bullets' || kind === 'numbers'
    if (open?.kind !== kind || kind === 'heading' || (isAfterBlank && !isList)) {
      open = { kind, lines: [] }
      blocks.push(open)
    }
    isAfterBlank = false
    return open.lines
  }
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode
      open = undefined
      if (isCode) begin('code')
    } else if (isCode) begin('code').push(line)
    else if (line.trim() === '') isAfterBlank = true
    else if (/^#{1,4} /.test(line)) begin('heading').push(line.replace(/^#+ /, ''))
    else if (/^[-*] /.test(line)) begin('bullets').push(line.slice(2))
    else if (/^\d+\. /.test(line)) begin('numbers').push(line.replace(/^\d+\. /, ''))
    else if (line.startsWith('|')) begin('table').push(line)
    else if (/^\s/.test(line) && !isAfterBlank && open !== undefined && open.lines.length > 0) {
      open.lines.push(`${open.lines.pop() ?? ''} ${line.trim()}`)
    } else begin('paragraph').push(line)
  }
  return blocks
}

/** A part of a text that opens when a reader asks for it. */
export interface MarkupSection {
  /** Undefined: it goes on where the beginning was cut. */
  readonly title: string | undefined
  readonly blocks: readonly MarkupBlock[]
}

/** Characters after which the beginning of a text ends with its block. */
const beginningMin = 900

/**
 * Splits a text into its beginning and sections, one for each later heading. A
 * beginning without headings is cut when it is long, so that what follows the
 * text stays near.
 */
export function partsOf(text: string): {
  readonly beginning: readonly MarkupBlock[]
  readonly sections: readonly MarkupSection[]
} {
  const beginning: MarkupBlock[] = []
  const sections: { title: string | undefined; blocks: MarkupBlock[] }[] = []
  let characters = 0
  for (const block of blocksOf(text)) {
    const isHeading = block.kind === 'heading'
    const last = sections.at(-1)
    if (isHeading && beginning.length > 0) {
      sections.push({ title: block.lines.join(' '), blocks: [] })
    } else if (last !== undefined) {
      last.blocks.push(block)
    } else if (characters >= beginningMin) {
      sections.push({ title: undefined, blocks: [block] })
    } else {
      beginning.push(block)
      characters += block.lines.join(' ').length
    }
  }
  return { beginning, sections }
}
