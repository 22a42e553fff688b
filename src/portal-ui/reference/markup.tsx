import { Fragment, type ReactNode } from 'react'
import { blocksOf, type MarkupBlock } from '../../portal/documents/markup-blocks.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { marksOf } from '../local-text.ts'
import { t } from '../words.ts'
import classes from './reference.module.css'

/** Shows a Markdown text of an API's document. A text without a translation is marked as English. */
export function Markup({ text }: { readonly text: string }) {
  if (text.trim() === '') return null
  return (
    <div className={classes['markup']} {...marksOf(text)} data-document>
      <Blocks blocks={blocksOf(text)} />
    </div>
  )
}

/** Blocks of a text, one below the other. */
export function Blocks({ blocks }: { readonly blocks: readonly MarkupBlock[] }) {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
    <Block key={index} block={block} />
  ))
}

function Block({ block: { kind, lines } }: { readonly block: MarkupBlock }) {
  if (kind === 'code') return <CodeBlock source={lines.join('\n')} label={t('guides.code')} />
  if (kind === 'heading') return <h3>{withMarks(lines.join(' '))}</h3>
  if (kind === 'table') return <MarkupTable lines={lines} />
  if (kind === 'paragraph') return <p>{withMarks(lines.join(' '))}</p>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
  const items = lines.map((line, index) => <li key={index}>{withMarks(line)}</li>)
  return kind === 'bullets' ? <ul>{items}</ul> : <ol>{items}</ol>
}

function MarkupTable({ lines }: { readonly lines: readonly string[] }) {
  const rows = lines.map((line) => line.split('|').slice(1, -1))
  // The second row only says how the columns are aligned.
  const [head = [], , ...body] = rows
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes['scroll']} aria-label={head.join(', ')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
              <th key={index} scope="col">
                {withMarks(cell.trim())}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
                <td key={column}>{withMarks(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const mark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Formats code, bold text and links within a line. Links lead within the portal or to https; others stay text. */
export function withMarks(text: string): ReactNode {
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
