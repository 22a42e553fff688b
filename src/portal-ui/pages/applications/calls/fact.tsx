import type { ReactNode } from 'react'
import { Time } from '../../../components/time.tsx'

export interface FactProps {
  readonly name: string
  /** Takes the place of the children, unless it is null. */
  readonly at?: string | null
  readonly children?: ReactNode
}

/** One fact in a list of facts: a name, and a time or anything else. */
export function Fact({ name, at = null, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{at === null ? children : <Time at={at} />}</dd>
    </div>
  )
}
