import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { t } from '../words.ts'

/**
 * Switches between light and dark; the browser remembers it. The scheme of the
 * system is not remembered: the page then keeps following the system.
 */
export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light')
  const other = shown === 'light' ? 'dark' : 'light'
  const label = t(`scheme.${other}`)
  const change = () => {
    const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    setColorScheme(other === system ? 'auto' : other)
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={label}
      onClick={change}
    >
      <svg
        viewBox="0 0 16 16"
        width="18"
        height="18"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
    </ActionIcon>
  )
}
