import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from 'wouter'
import type { Application } from '../../../portal/api/schemas/applications.ts'
import { pagePaths } from '../../../portal/pages/page-paths.ts'
import { useApplications } from '../../api/applications.ts'
import { type ApplicationTab, tabPath } from '../../tab-path.ts'
import { t } from '../../words.ts'
import classes from './application-switcher.module.css'

export interface ApplicationSwitcherProps {
  readonly application: Application
  /** The part on screen, which the other application opens with. */
  readonly tab: ApplicationTab
}

/** Names the application on screen; its menu leads to the others. */
export function ApplicationSwitcher({ application, tab }: ApplicationSwitcherProps) {
  const { id, name } = application
  const others = (useApplications().data?.items ?? []).filter((other) => other.id !== id)
  return (
    <Menu width={240} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes['button'] ?? ''}>
          <Initial name={name} />
          <bdi className={classes['name']}>{name}</bdi>{' '}
          <VisuallyHidden>{t('application.switch')}</VisuallyHidden>
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path
              d="M4.5 6.5 8 10l3.5-3.5"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.6"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((other) => (
          <Menu.Item
            key={other.id}
            component={Link}
            href={tabPath(other.id, tab)}
            leftSection={<Initial name={other.name} />}
          >
            <bdi>{other.name}</bdi>
          </Menu.Item>
        ))}
        {others.length === 0 ? null : <Menu.Divider />}
        <Menu.Item component={Link} href={pagePaths.applications}>
          {t('application.all')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Initial({ name }: { readonly name: string }) {
  // A whole character as people see it, which may be several code points.
  const [first] = new Intl.Segmenter().segment(name)
  return (
    <span
      className={classes['initial']}
      // Drawn by the style sheet: the letter is not part of the name.
      data-initial={first?.segment.toUpperCase()}
      aria-hidden
    />
  )
}
