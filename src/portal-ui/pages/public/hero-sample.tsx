import { Box } from '@mantine/core'
import { useState } from 'react'
import type { FrontPage, PublishedLimit } from '../../../portal/api/schemas/catalogue.ts'
import { CodeTabs } from '../../components/code-tabs.tsx'
import { Highlighted } from '../../components/highlighted.tsx'
import { wholeNumber, windowInWords } from '../../in-words.ts'
import { t } from '../../words.ts'
import classes from './landing.module.css'

export interface HeroSampleProps {
  readonly sample: NonNullable<FrontPage['sample']>
  readonly limit: PublishedLimit | undefined
}

/** A call in the reader's language, its answers, and what is left of the limit after each. */
export function HeroSample({ sample: { samples, answers }, limit }: HeroSampleProps) {
  const [status, setStatus] = useState(answers[0]?.status)
  const answer = answers.find((each) => each.status === status)
  const used = limit === undefined ? 0 : isRefused(status) ? limit.calls : 1
  return (
    <div className={classes['sample']}>
      <CodeTabs samples={samples} label={t('landing.sample')} />
      {answer === undefined ? null : (
        <div className={classes['answer']} dir="ltr">
          <fieldset aria-label={t('landing.answers')} className={classes['statuses']}>
            {answers.map((each) => (
              <button
                key={each.status}
                type="button"
                aria-pressed={each.status === status}
                className={classes['status']}
                data-refused={isRefused(each.status) || undefined}
                onClick={() => setStatus(each.status)}
              >
                HTTP {each.status}
              </button>
            ))}
          </fieldset>
          {/* It scrolls, so the keyboard must reach it. */}
          <Box
            component="pre"
            tabIndex={0}
            role="region"
            aria-label={t('landing.answer', { status: String(answer.status) })}
            className={classes['body'] ?? ''}
          >
            <code>
              <Highlighted source={answer.text} />
            </code>
          </Box>
        </div>
      )}
      {limit === undefined ? null : (
        <div className={classes['meter']}>
          <span>{t('reference.limit')}</span>
          <span className={classes['track']} aria-hidden>
            <span
              className={classes['bar']}
              style={{ inlineSize: `${(used / limit.calls) * 100}%` }}
            />
          </span>
          <strong>
            {t('landing.used', { used: wholeNumber(used), calls: wholeNumber(limit.calls) })}
          </strong>
          <span>{t('landing.resets', { window: windowInWords(limit) })}</span>
        </div>
      )}
    </div>
  )
}

function isRefused(status: number | undefined): boolean {
  return status !== undefined && status >= 400
}
