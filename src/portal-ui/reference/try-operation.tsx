import type { PublishedOperation } from '../../portal/api/schemas/catalogue.ts'
import { useSession } from '../api/session.ts'
import { operationPath } from '../published.ts'
import { signInPath } from './sign-in-path.ts'
import { TryLink } from './try-link.tsx'
import { TryWithOwn } from './try-with-own.tsx'

export interface TryOperationProps {
  readonly api: string
  readonly version: string
  readonly operation: PublishedOperation
}

/** Links to this operation in the playground of one of the developer's applications; a visitor signs in first. */
export function TryOperation({ api, version, operation }: TryOperationProps) {
  const { data: session } = useSession()
  const query = new URLSearchParams({ operation: operation.id, version })
  return session === null || session === undefined ? (
    <TryLink href={signInPath(operationPath(api, version, operation))} />
  ) : (
    <TryWithOwn query={`?${query}`} />
  )
}
