import { useQuery } from '@tanstack/react-query'
import type { ApplicationList, KeyList } from '../../portal/api/schemas/applications.ts'
import { applicationPath } from './applications.ts'
import { requestList } from './client.ts'
import { useSession } from './session.ts'

/**
 * How the portal shows a working key of the reader's first application, `tg_<id>_…<last four>`. Undefined without a
 * session or a key, and until both are known.
 */
export function useKeyHint(): string | undefined {
  const { data: session } = useSession()
  const hint = useQuery({
    queryKey: ['key-hint'],
    queryFn: readKeyHint,
    enabled: session !== null && session !== undefined,
    staleTime: 60_000,
  })
  return hint.data ?? undefined
}

async function readKeyHint(): Promise<string | null> {
  const { items } = await requestList<ApplicationList>('/api/applications?limit=100')
  const [first] = items
  if (first === undefined) return null
  const keys = await requestList<KeyList>(`${applicationPath(first.id)}/keys?limit=100`)
  return keys.items.find(({ state }) => state === 'active')?.hint ?? null
}
