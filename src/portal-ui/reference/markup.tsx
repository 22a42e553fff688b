import { Fragment, type ReactNode } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { marksOf } from '../local-text.ts'
import classes from './reference.module.css'

/** A text of an API's document: the Markdown that such documents use. Without a translation it is in English. */
export function Markup({ text }: { readonly text: string }) {
  if (text.trim() === '') return null
  return (
    <div className={classes['markup']} {...marksOf(text)} data-document>
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
        <Block key={index} block={block} />
      ))}
    </div>
  )
}

type Kind = 'paragraph' | 'heading' | 'bullets' | 'numbers' | 'table' | 'code'

interface MarkupBlock {
  readonly kind: Kind
  readonly lines: readonly string[]
}

function blocksOf(text: string): readonly MarkupBlock[] {
  const blocks: { kind: Kind; lines: string[] }[] = []
  let isCode = false
  let open: { kind: Kind; lines: string[] } | undefined
  const begin = (kind: Kind): string[] => {
    if (open === undefined || open.kind !== kind || kind === 'heading') {
      open = { kind, lines: [] }
      blocks.push(open)
    }
    return open.lines
  }
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode
      open = undefined
      if (isCode) begin('code')
    } else if (isCode) begin('code').push(line)
    else if (line.trim() === '') open = undefined
    else if (/^#{1,4} /.test(line)) begin('heading').push(line.replace(/^#+ /, ''))
    else if (/^[-*] /.test(line)) begin('bullets').push(line.slice(2))
    else if (/^\d+\. /.test(line)) begin('numbers').push(line.replace(/^\d+\. /, ''))
    else if (line.startsWith('|')) begin('table').push(line)
    else if (/^\s/.test(line) && open !== undefined && open.lines.length > 0) {
      open.lines.push(`${open.lines.pop() ?? ''} ${line.trim()}`)
    } else begin('paragraph').push(line)
  }
  return blocks
}

function Block({ block: { kind, lines } }: { readonly block: MarkupBlock }) {
  if (kind === 'code') return <CodeBlock source={lines.join('\n')} label="sh" />
  if (kind === 'heading') return <h3>{inline(lines.join(' '))}</h3>
  if (kind === 'table') return <MarkupTable lines={lines} />
  if (kind === 'paragraph') return <p>{inline(lines.join(' '))}</p>
  const items = lines.map((line) => <li key={line}>{inline(line)}</li>)
  return kind === 'bullets' ? <ul>{items}</ul> : <ol>{items}</ol>
}

function MarkupTable({ lines }: { readonly lines: readonly string[] }) {
  const rows = lines
    .filter((line) => !/^[|\s:-]+$/.test(line))
    .map((line) => line.split('|').slice(1, -1))
  const [head = [], ...body] = rows
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes['scroll']} aria-label={head.join(', ')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {inline(cell.trim())}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr key={row.join('|')}>
              {row.map((cell) => (
                <td key={cell}>{inline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const mark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Code, bold text and links; any other sign stands for itself. Links lead within the portal or to https. */
function inline(text: string): ReactNode {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(mark)) {
    parts.push(text.slice(end, match.index))
    const [whole, code, bold, label, href = ''] = match
    if (code !== undefined) parts.push(<code dir="ltr">{code}</code>)
    else if (bold !== undefined) parts.push(<strong>{bold}</strong>)
    else if (/^(#|\/(?![/\\])|https:\/\/)/.test(href)) parts.push(<a href={href}>{label}</a>)
    else parts.push(label)
    end = match.index + whole.length
  }
  parts.push(text.slice(end))
  // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
  return parts.map((part, index) => <Fragment key={index}>{part}</Fragment>)
}
