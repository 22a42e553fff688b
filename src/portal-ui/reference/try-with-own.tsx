import { Button, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import { useApplications } from '../api/applications.ts'
import { tabPath } from '../tab-path.ts'
import { t } from '../words.ts'
import { TryLink, type TryWords, tryButton } from './try-link.tsx'

export interface TryWithOwnProps {
  /** With the question mark. */
  readonly query: string
  readonly words?: TryWords
}

/** Leads to the playground of the reader's application, or lets the reader choose one. */
export function TryWithOwn({ query, words }: TryWithOwnProps) {
  const { data } = useApplications()
  const [first, second] = data?.items ?? []
  if (first === undefined) return <TryLink href={pagePaths.applications} words={words} />
  if (second === undefined) {
    return <TryLink href={`${tabPath(first.id, 'playground')}${query}`} words={words} />
  }
  return (
    <Menu width={240}>
      <Menu.Target>
        <Button {...tryButton(words)}>{words?.shown ?? t('reference.try')}</Button>
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
