import { useEffect, useRef } from 'react'
import type {
  PublishedApi,
  PublishedOperation,
  PublishedVersion,
} from '../../../portal/api/schemas/catalogue.ts'
import type { useDocument } from '../../api/document.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { OperationView } from '../../reference/operation-view.tsx'
import { Overview } from '../../reference/overview.tsx'
import classes from '../../reference/reference.module.css'

export interface ReferenceTabProps {
  readonly published: PublishedApi
  readonly version: PublishedVersion
  /** Undefined: the overview. */
  readonly operation: PublishedOperation | undefined
  readonly document: ReturnType<typeof useDocument>
}

/** The operation that the address names, or all operations. */
export function ReferenceTab({ published, version, operation, document }: ReferenceTabProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(operation?.id)
  const id = operation?.id

  // A screen reader announces the new operation; the first one of a visit has the heading of the page.
  useEffect(() => {
    if (id === before.current) return
    before.current = id
    heading.current?.focus({ preventScroll: true })
  }, [id])

  return (
    <div className={classes['reference']}>
      <ProblemAlert error={document.error} onRetry={() => void document.refetch()} />
      {operation === undefined ? (
        <Overview
          published={published}
          version={version}
          document={document.data}
          isMissing={document.isError}
        />
      ) : (
        <OperationView
          key={operation.id}
          api={published.api}
          version={version.version}
          operation={operation}
          document={document.data}
          heading={heading}
          isCallable={!version.isRetired}
        />
      )}
    </div>
  )
}
