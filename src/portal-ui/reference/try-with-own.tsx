import { Button, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useApplications } from '../api/applications.ts'
import { tabPath } from '../tab-path.ts'
import { t } from '../words.ts'
import { TryLink } from './try-link.tsx'

/** Leads to the playground of the reader's application, or lets the reader choose one. */
export function TryWithOwn({ query }: { readonly query: string }) {
  const { data } = useApplications()
  const [first, second] = data?.items ?? []
  if (first === undefined) return <TryLink href={pagePaths.applications} />
  if (second === undefined) return <TryLink href={`${tabPath(first.id, 'playground')}${query}`} />
  return (
    <Menu width={240}>
      <Menu.Target>
        <Button size="sm" variant="default">
          {t('reference.try')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('reference.tryWith')}</Menu.Label>
        {data?.items.map(({ id, name }) => (
          <Menu.Item key={id} component={Link} href={`${tabPath(id, 'playground')}${query}`}>
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
