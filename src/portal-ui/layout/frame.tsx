import type { ReactNode } from 'react'
import classes from './page.module.css'

/** The width and the spacing of a page, for its placeholder while it loads. */
export function Frame({ children }: { readonly children: ReactNode }) {
  return <div className={classes['frame']}>{children}</div>
}
