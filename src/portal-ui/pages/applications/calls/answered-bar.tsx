import type { Answered } from '../../../../portal/api/schemas/usage.ts'
import { percent, wholeNumber } from '../../../in-words.ts'
import { t } from '../../../words.ts'
import classes from './answered-bar.module.css'

const classesOfStatus = ['2xx', '3xx', '4xx', '429', '5xx', 'none'] as const

/** Calls by the status of their answer: a bar, and a number with its share for each class. */
export function AnsweredBar({ answered }: { readonly answered: Answered }) {
  const shown = classesOfStatus.filter((name) => answered[name] > 0)
  const sum = shown.reduce((calls, name) => calls + answered[name], 0)
  if (sum === 0) return t('usage.noStatuses')
  return (
    <div className={classes['answered']}>
      <div className={classes['bar']} aria-hidden>
        {shown.map((name) => (
          <span key={name} data-status={name} style={{ flexGrow: answered[name] }} />
        ))}
      </div>
      <ul className={classes['list']}>
        {shown.map((name) => (
          <li key={name}>
            <span className={classes['swatch']} data-status={name} aria-hidden />
            <bdi className={classes['status']}>
              {name === 'none' ? t('calls.noResponse') : name}
            </bdi>
            <span>{wholeNumber(answered[name])}</span>
            <span className={classes['share']}>{percent(answered[name] / sum)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
