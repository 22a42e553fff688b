import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
  rem,
} from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { t } from './words.ts'

const tollgateTide: MantineColorsTuple = [
  '#e9f6f7',
  '#d0ebee',
  '#a3d7dd',
  '#6cc9d5',
  '#2fa5b4',
  '#1d93a2',
  '#118291',
  '#0a7180',
  '#085965',
  '#0e333a',
]
/** The shades of the brand's accent; without one, those of Tollgate. */
export function tideOf(accent: readonly string[] | null): MantineColorsTuple {
  return accent !== null && hasTenShades(accent) ? accent : tollgateTide
}

function hasTenShades(shades: readonly string[]): shades is MantineColorsTuple {
  return shades.length === 10
}

const gray: MantineColorsTuple = [
  '#f6f8f9',
  '#edf1f3',
  '#e4eaec',
  '#d3dce0',
  '#b5c1c6',
  '#7f8f96',
  '#65737a',
  '#55646b',
  '#34434a',
  '#0c1a1f',
]
const dark: MantineColorsTuple = [
  '#e8eff1',
  '#c5d2d6',
  '#9fb0b6',
  '#71858d',
  '#33454c',
  '#1e2d33',
  '#142127',
  '#0b1316',
  '#0a1013',
  '#060b0d',
]
const green: MantineColorsTuple = [
  '#e3f6ea',
  '#cdecd9',
  '#a1dab8',
  '#63d19c',
  '#4bb783',
  '#2f9a68',
  '#1f8757',
  '#18794e',
  '#125c3b',
  '#12321f',
]
const red: MantineColorsTuple = [
  '#fee9e7',
  '#fcd4d0',
  '#f8aaa4',
  '#f1837a',
  '#e75f54',
  '#d8443a',
  '#c52f24',
  '#b42318',
  '#8f1d14',
  '#3f1814',
]
const amber: MantineColorsTuple = [
  '#fff2d6',
  '#fde5b4',
  '#f5cf85',
  '#eab752',
  '#dd9f2b',
  '#c4820f',
  '#a46806',
  '#8a5300',
  '#6d4200',
  '#3a2a08',
]

const fixedColors = { gray, green, red, amber }

/**
 * The look of the portal. The only colours of pages: `tide` (the accent),
 * `gray`, `green`, `red` and `amber`. Shade 7 and darker is text on light ground,
 * shade 3 and lighter on dark ground, and white is text on shade 6 and darker,
 * each with a contrast of 4.5 or more (WCAG 2.2, 1.4.3).
 */
export function themeWith(tide: MantineColorsTuple): MantineThemeOverride {
  return createTheme({
    primaryColor: 'tide',
    primaryShade: { light: 7, dark: 4 },
    variantColorResolver: (input) => {
      const resolved = defaultVariantColorsResolver(input)
      return input.variant === 'filled' ? { ...resolved, color: 'var(--on-filled)' } : resolved
    },
    black: gray[9],
    colors: { ...fixedColors, tide, dark },
    fontFamily:
      "Inter, Heebo, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    fontFamilyMonospace:
      "'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(18) },
    lineHeights: { xs: '1.34', sm: '1.4', md: '1.43', lg: '1.5', xl: '1.4' },
    radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(16) },
    shadows: {
      xs: '0 1px 2px rgb(12 26 31 / 0.05)',
      sm: '0 1px 2px rgb(12 26 31 / 0.05)',
      md: '0 12px 32px -8px rgb(12 26 31 / 0.18)',
      lg: '0 12px 32px -8px rgb(12 26 31 / 0.18)',
      xl: '0 12px 32px -8px rgb(12 26 31 / 0.18)',
    },
    headings: {
      fontWeight: '650',
      sizes: {
        h1: { fontSize: rem(24), lineHeight: '1.33' },
        h2: { fontSize: rem(16), lineHeight: '1.5' },
        h3: { fontSize: rem(14), lineHeight: '1.43' },
        h4: { fontSize: rem(14), lineHeight: '1.43' },
      },
    },
    defaultRadius: 'md',
    cursorType: 'pointer',
    focusRing: 'auto',
    respectReducedMotion: true,
    components: {
      // Its element is a header, which counts as a banner of the page (WAI-ARIA, landmarks).
      ModalHeader: { defaultProps: { role: 'presentation' } },
      DrawerHeader: { defaultProps: { role: 'presentation' } },
      Modal: {
        defaultProps: {
          centered: true,
          size: rem(480),
          closeButtonProps: { 'aria-label': t('common.close') },
        },
        styles: {
          title: {
            fontSize: rem(16),
            lineHeight: rem(24),
            fontWeight: 650,
            letterSpacing: '-0.01em',
          },
        },
      },
      Menu: {
        defaultProps: {
          shadow: 'md',
          position: 'bottom-end',
          offset: 4,
          transitionProps: { duration: 0 },
          withInitialFocusPlaceholder: false,
        },
      },
      MenuDropdown: { defaultProps: { onKeyDown: leaveByTab } },
      Combobox: { defaultProps: { shadow: 'md', offset: 4 } },
      // Fields are required by default; an optional field is marked.
      InputWrapper: { defaultProps: { withAsterisk: false } },
      Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
      Button: { styles: { label: { fontWeight: 550 } } },
      Card: { defaultProps: { radius: 'lg', shadow: 'xs' } },
      Paper: { defaultProps: { radius: 'lg' } },
    },
  })
}

/** Tab closes a menu and goes on from its button (menu pattern of ARIA). Mantine would keep the focus in the menu. */
function leaveByTab(event: KeyboardEvent): void {
  if (event.key !== 'Tab') return
  event.stopPropagation()
  const button = document.getElementById(event.currentTarget.getAttribute('aria-labelledby') ?? '')
  button?.focus()
  button?.click()
}

/** Replaces Mantine's variables with too little contrast. */
export const cssVariablesWith =
  (tide: MantineColorsTuple): CSSVariablesResolver =>
  () => {
    const plotColors = isWarm(tide[7]) ? gray : tide
    return {
      variables: {},
      light: {
        '--mantine-color-dimmed': gray[7],
        '--mantine-color-placeholder': gray[6],
        '--mantine-color-error': red[7],
        '--mantine-color-success': green[7],
        '--mantine-color-default-border': gray[3],
        '--mantine-color-anchor': tide[8],
        ...lightTints(tide),
        '--on-filled': '#ffffff',
        '--surface': '#ffffff',
        '--surface-raised': '#ffffff',
        '--surface-sunken': gray[0],
        '--line': gray[2],
        '--input-line': gray[5],
        '--focus': tide[7],
        '--plot': plotColors[6],
      },
      dark: {
        ...darkTints(tide),
        '--mantine-color-dimmed': dark[2],
        '--mantine-color-placeholder': dark[2],
        '--mantine-color-error': red[3],
        '--mantine-color-success': green[3],
        // Also on the tinted background of a notice.
        '--mantine-color-anchor': tide[3],
        // White on the bright accent would have a contrast of 2.9.
        '--on-filled': '#06171b',
        '--surface': '#111d22',
        '--surface-raised': '#16242a',
        '--surface-sunken': dark[8],
        '--line': dark[5],
        '--input-line': dark[3],
        '--focus': tide[3],
        '--plot': plotColors[4],
      },
    }
  }

/** Whether a colour `#rrggbb` is a red, an orange or an amber: in a plot, those are calls that failed or were refused. */
function isWarm(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(color.slice(at, at + 2), 16),
  )
  return red > green && red > 1.3 * blue
}

/** Backgrounds of badges and alerts: pale enough that only their text speaks. */
function lightTints(tide: MantineColorsTuple): Record<string, string> {
  return tints(tide, (shades) => ({ ground: shades[0], hover: shades[1], text: shades[8] }))
}

/** The same in the dark scheme: dark, but coloured. */
function darkTints(tide: MantineColorsTuple): Record<string, string> {
  return {
    ...tints(tide, (shades) => ({ ground: shades[9], hover: shades[8], text: shades[2] })),
    '--mantine-color-gray-light': dark[5],
    '--mantine-color-gray-light-hover': dark[4],
  }
}

function tints(
  tide: MantineColorsTuple,
  of: (shades: MantineColorsTuple) => { ground: string; hover: string; text: string },
): Record<string, string> {
  const entries = Object.entries({ ...fixedColors, tide }).flatMap(([name, shades]) => {
    const { ground, hover, text } = of(shades)
    return [
      [`--mantine-color-${name}-light`, ground],
      [`--mantine-color-${name}-light-hover`, hover],
      [`--mantine-color-${name}-light-color`, text],
    ]
  })
  return Object.fromEntries(entries)
}
