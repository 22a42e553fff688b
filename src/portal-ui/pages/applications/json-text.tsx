import { useMemo } from 'react'
import { jsonParts } from '../../calls/json-parts.ts'
import classes from './playground.module.css'

/** JSON in colours; the text itself is unchanged. */
export function JsonText({ text }: { readonly text: string }) {
  const parts = useMemo(() => jsonParts(text), [text])
  return parts.map(({ kind, text: piece }, at) =>
    kind === 'other' ? (
      piece
    ) : (
      // The text of an answer never changes.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={at} className={classes[kind]}>
        {piece}
      </span>
    ),
  )
}
