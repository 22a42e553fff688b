import { t } from '../words.ts'
import classes from './reference.module.css'

/** Where the text will be. */
export function Bones() {
  return (
    <div className={classes['bones']} role="status" aria-label={t('common.loading')}>
      <span />
      <span />
      <span />
    </div>
  )
}
