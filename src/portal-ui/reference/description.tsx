import { useMemo } from 'react'
import { blocksOf, partsOf } from '../../portal/documents/markup-blocks.ts'
import { marksOf } from '../local-text.ts'
import { t } from '../words.ts'
import { Blocks, withMarks } from './markup.tsx'
import classes from './reference.module.css'

/** What a document says about itself: its beginning, and a line for each further section, which opens it. */
export function Description({ text }: { readonly text: string }) {
  const { beginning, sections } = useMemo(() => partsOf(text), [text])
  if (text.trim() === '') return null
  return (
    <div {...marksOf(text)} data-document>
      <div className={classes['markup']}>
        <Blocks blocks={blocksOf(beginning)} />
      </div>
      {sections.map((section, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text never changes its order
        <details key={index} className={classes['section']}>
          <summary>
            <h3>
              {section.title === undefined ? t('reference.readOn') : withMarks(section.title)}
            </h3>
          </summary>
          <div className={classes['markup']}>
            <Blocks blocks={blocksOf(section.text)} />
          </div>
        </details>
      ))}
    </div>
  )
}
