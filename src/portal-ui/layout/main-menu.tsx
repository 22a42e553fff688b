import { ActionIcon, Menu } from '@mantine/core'
import { useLocation } from 'wouter'
import { t } from '../words.ts'
import { useMainLinks } from './main-links.ts'
import type { MainNavigationProps } from './main-navigation.tsx'
import classes from './shell.module.css'

/** The links of the main navigation behind a button, on a narrow screen or at high zoom. */
export function MainMenu({ developer }: MainNavigationProps) {
  const links = useMainLinks(developer)
  const [, navigate] = useLocation()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('shell.menu')}
          className={classes['menuButton'] ?? ''}
        >
          <svg
            viewBox="0 0 16 16"
            width="18"
            height="18"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.8"
            strokeLinecap="round"
            aria-hidden="true"
          >
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map(({ href, label, current }) => (
          <Menu.Item
            key={href}
            onClick={() => navigate(href)}
            {...(current === undefined ? {} : { 'aria-current': current, fw: 600 })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
