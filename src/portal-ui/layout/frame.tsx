import type { ReactNode } from 'react'
import classes from './page.module.css'

/** The width and the space of a page, for what stands in its place before it has loaded. */
export function Frame({ children }: { readonly children: ReactNode }) {
  return <div className={classes['frame']}>{children}</div>
}
