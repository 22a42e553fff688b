import { useMemo } from 'react'
import { marksOf } from '../local-text.ts'
import { t } from '../words.ts'
import { Blocks } from './markup.tsx'
import { partsOf } from './markup-blocks.ts'
import classes from './reference.module.css'

/** What a document says about itself: its beginning, and a line for each further section, which opens it. */
export function Description({ text }: { readonly text: string }) {
  const { beginning, sections } = useMemo(() => partsOf(text), [text])
  if (beginning.length === 0) return null
  return (
    <div {...marksOf(text)} data-document>
      <div className={classes['markup']}>
        <Blocks blocks={beginning} />
      </div>
      {sections.map(({ title, blocks }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
        <details key={index} className={classes['section']}>
          <summary>{title ?? t('reference.readOn')}</summary>
          <div className={classes['markup']}>
            <Blocks blocks={blocks} />
          </div>
        </details>
      ))}
    </div>
  )
}
