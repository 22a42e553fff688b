import { type ReactNode, useMemo } from 'react'
import { linkedParts } from '../../../calls/json-parts.ts'
import classes from '../try/playground.module.css'

export interface JsonTextProps {
  readonly text: string
  /** Shows a link of the text (`_links`) as one that can be followed; undefined leaves it as text. */
  readonly linkOf: (relation: string, href: string, shown: string) => ReactNode
}

/** JSON in colours, with links to follow; the text itself is unchanged. */
export function JsonText({ text, linkOf }: JsonTextProps) {
  const parts = useMemo(() => linkedParts(text), [text])
  return parts.map(({ kind, text: piece, link }, at) =>
    kind === 'other' ? (
      piece
    ) : (
      // The text of an answer never changes.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={at} className={classes[kind]}>
        {link === undefined ? piece : (linkOf(link.relation, link.href, piece) ?? piece)}
      </span>
    ),
  )
}
