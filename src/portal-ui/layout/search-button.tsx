import { Text, UnstyledButton } from '@mantine/core'
import { type ComponentType, useCallback, useEffect, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import type { SearchMenuProps } from '../search/search-menu.tsx'
import { t } from '../words.ts'
import classes from './search-button.module.css'

/** Opens the search; Ctrl-K and ⌘K do, too. The search itself loads when it is first opened. */
export function SearchButton() {
  const [Menu, setMenu] = useState<ComponentType<SearchMenuProps>>()
  const [isOpen, setIsOpen] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)

  const open = useCallback(async () => {
    try {
      const { SearchMenu } = await import('../search/search-menu.tsx')
      setMenu(() => SearchMenu)
      setHasFailed(false)
      setIsOpen(true)
    } catch {
      // No connection, or the portal serves a newer page.
      setHasFailed(true)
    }
  }, [])

  useEffect(() => {
    // Pages without script link here.
    if (window.location.hash !== '#search') return
    window.history.replaceState(window.history.state, '', window.location.pathname)
    void open()
  }, [open])

  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // The place of the key, which has another letter in Hebrew.
      const isK = event.code === 'KeyK' || event.key.toLowerCase() === 'k'
      if (!isK || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      if (document.querySelector('[role="dialog"]') === null) void open()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [open])

  return (
    <>
      <UnstyledButton
        className={classes['button'] ?? ''}
        onClick={() => void open()}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span className={classes['label']}>{t('search.open')}</span>
        <kbd className={classes['keys']} dir="ltr" aria-hidden>
          {isApple() ? '⌘K' : 'Ctrl K'}
        </kbd>
      </UnstyledButton>
      {hasFailed ? (
        <Text role="alert" size="xs" c="red">
          {t('search.failed')}
        </Text>
      ) : null}
      {Menu === undefined ? null : <Menu isOpen={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent)
}
