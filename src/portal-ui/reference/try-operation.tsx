import { Button, Menu } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { pagePaths } from '../../gateway/portal/page-paths.ts'
import type { PublishedOperation } from '../../gateway/portal/schemas/catalogue.ts'
import { useApplications } from '../api/applications.ts'
import { useSession } from '../api/session.ts'
import { operationPath } from '../published.ts'
import { tabPath } from '../tab-path.ts'
import { t } from '../words.ts'
import { signInPath } from './sign-in-path.ts'

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
    <OwnApplications query={`?${query}`} />
  )
}

function TryLink({ href }: { readonly href: string }) {
  return (
    <Button component={Link} href={href} size="sm" variant="default">
      {t('reference.try')}
    </Button>
  )
}

function OwnApplications({ query }: { readonly query: string }) {
  const { data } = useApplications()
  const [, navigate] = useLocation()
  const [first, second] = data?.items ?? []
  if (first === undefined) return <TryLink href={pagePaths.applications} />
  if (second === undefined) return <TryLink href={`${tabPath(first.id, 'playground')}${query}`} />
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button size="sm" variant="default">
          {t('reference.try')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('reference.tryWith')}</Menu.Label>
        {data?.items.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => navigate(`${tabPath(id, 'playground')}${query}`)}>
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
