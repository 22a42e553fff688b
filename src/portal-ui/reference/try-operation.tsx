import { Suspense } from 'react'
import type { PublishedOperation } from '../../portal/api/schemas/catalogue.ts'
import { useSession } from '../api/session.ts'
import { lazyPage } from '../lazy-page.tsx'
import { operationPath } from '../published.ts'
import { signInPath } from './sign-in-path.ts'
import { TryLink } from './try-link.tsx'

/** For signed-in readers only: the menu weighs more than the page. */
const { Page: TryWithOwn } = lazyPage(() => import('./try-with-own.tsx'), 'TryWithOwn')

export interface TryOperationProps {
  readonly api: string
  readonly version: string
  readonly operation: PublishedOperation
}

/** Leads to the playground of one of the reader's applications, with this operation; a visitor signs in first. */
export function TryOperation({ api, version, operation }: TryOperationProps) {
  const { data: session } = useSession()
  const query = new URLSearchParams({ operation: operation.id, version })
  return session === null || session === undefined ? (
    <TryLink href={signInPath(operationPath(api, version, operation))} />
  ) : (
    <Suspense>
      <TryWithOwn query={`?${query}`} />
    </Suspense>
  )
}
