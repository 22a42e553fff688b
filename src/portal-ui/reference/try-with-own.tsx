import { Button } from '@mantine/core'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useApplications } from '../api/applications.ts'
import { Menu, MenuItem, MenuLabel } from '../components/menu.tsx'
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
    <Menu
      width={240}
      button={(opens) => (
        <Button size="sm" variant="default" {...opens}>
          {t('reference.try')}
        </Button>
      )}
    >
      <MenuLabel>{t('reference.tryWith')}</MenuLabel>
      {data?.items.map(({ id, name }) => (
        <MenuItem key={id} href={`${tabPath(id, 'playground')}${query}`}>
          <bdi>{name}</bdi>
        </MenuItem>
      ))}
    </Menu>
  )
}
