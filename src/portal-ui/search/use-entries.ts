import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { ApplicationList } from '../../portal/api/schemas/applications.ts'
import type { SearchEntry } from '../../portal/api/schemas/guides.ts'
import { operatorApplicationPath, pagePaths } from '../../portal/pages/page-paths.ts'
import { requestList } from '../api/client.ts'
import { useSearchIndex } from '../api/guides.ts'
import { useOperatedMatches } from '../api/operator.ts'
import { useSession } from '../api/session.ts'
import { useFacts } from '../facts.tsx'
import { withoutSecret } from '../without-secret.ts'
import { t } from '../words.ts'
import { actionsOf } from './actions.ts'

/** One thing that the search finds. */
export interface FoundEntry extends Omit<SearchEntry, 'kind'> {
  readonly kind: SearchEntry['kind'] | 'action' | 'page' | 'application' | 'developer' | 'call'
}

/** Everything that the reader can find: the portal's index, its pages, and the reader's own applications. */
export function useEntries() {
  const index = useSearchIndex()
  const { data: session } = useSession()
  const { hasSandbox } = useFacts()
  const applications = useQuery({
    queryKey: ['applications'],
    queryFn: () => requestList<ApplicationList>('/api/applications?limit=100'),
    enabled: session !== null && session !== undefined,
  })
  const [path] = useLocation()
  const page = (title: string, href: string): FoundEntry => ({
    kind: 'page',
    title,
    detail: '',
    place: '',
    words: href.slice(1),
    text: '',
    href,
  })
  const developer = session?.developer
  const pages = [
    page(t('shell.apis'), pagePaths.landing),
    page(t('shell.guides'), pagePaths.guides),
    ...(hasSandbox ? [page(t('shell.sandbox'), pagePaths.sandbox)] : []),
    ...(developer === undefined
      ? [page(t('shell.signIn'), pagePaths.signIn), page(t('shell.getKey'), pagePaths.signUp)]
      : [
          page(t('shell.applications'), pagePaths.applications),
          page(t('shell.profile'), pagePaths.profile),
        ]),
    ...(developer?.isOperator === true ? [page(t('shell.operator'), pagePaths.operator)] : []),
    page(t('shell.errors'), '/problems/'),
  ]
  const own = (applications.data?.items ?? []).map(
    ({ id, name }): FoundEntry => ({
      kind: 'application',
      title: name,
      detail: '',
      place: '',
      words: id,
      text: '',
      href: `${pagePaths.applications}/${id}`,
    }),
  )
  const here = own.find(({ href }) => path === href || path.startsWith(`${href}/`)) ?? own[0]
  const actions = actionsOf({
    applicationId: here?.words,
    isSignedIn: developer !== undefined,
    hasSandbox,
    t,
  }).map(
    ({ title, href }): FoundEntry => ({
      kind: 'action',
      title,
      detail: '',
      place: '',
      words: '',
      text: '',
      href,
    }),
  )
  const entries: readonly FoundEntry[] = [
    ...own,
    ...pages,
    ...actions,
    ...(index.data?.items ?? []),
  ]
  return { entries, isPending: index.isPending, error: index.error }
}

/** What an operator finds of other developers: people and applications, also by a key; empty for everyone else. */
export function useOperatedEntries(query: string): readonly FoundEntry[] {
  const { data: session } = useSession()
  const asked = withoutSecret(query.trim())
  const [text] = useDebouncedValue(asked, 250)
  const isOperator = session?.developer.isOperator === true
  const { developers, applications } = useOperatedMatches(text, isOperator)
  if (text !== asked) return []
  const entry = { place: '', words: '', text: '' }
  return [
    ...developers.map(({ name, email }): FoundEntry => {
      const search = new URLSearchParams({ search: email })
      const href = `${pagePaths.operator}/developers?${search}`
      const isNamed = name !== ''
      return {
        ...entry,
        kind: 'developer',
        title: isNamed ? name : email,
        detail: isNamed ? email : '',
        href,
      }
    }),
    ...applications.map(
      ({ id, name, developerEmail }): FoundEntry => ({
        ...entry,
        kind: 'application',
        title: name,
        detail: developerEmail,
        href: operatorApplicationPath(id),
      }),
    ),
  ]
}
