import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const tide: MantineColorsTuple = [
  '#e8f5f7',
  '#d3ebef',
  '#a6d6de',
  '#74bfcc',
  '#4aabbc',
  '#2b93a6',
  '#147d91',
  '#0a6879',
  '#0a5563',
  '#08424e',
]
const gray: MantineColorsTuple = [
  '#f6f8fa',
  '#eef1f4',
  '#e2e7ec',
  '#d0d7de',
  '#b3bdc8',
  '#8b97a5',
  '#6b7785',
  '#515c69',
  '#36404b',
  '#1f2730',
]
const dark: MantineColorsTuple = [
  '#dbe2ea',
  '#bcc7d3',
  '#9fadbc',
  '#7b8a9b',
  '#3f4c5c',
  '#313d4b',
  '#26303c',
  '#171e27',
  '#11171f',
  '#0b1016',
]
const green: MantineColorsTuple = [
  '#e7f6ec',
  '#d3eedd',
  '#a8dcbb',
  '#78c796',
  '#4fb476',
  '#31995b',
  '#228049',
  '#186b3b',
  '#125730',
  '#0c4525',
]
const red: MantineColorsTuple = [
  '#fdeceb',
  '#fadbd9',
  '#f3b3af',
  '#ec8a84',
  '#e5665f',
  '#d64840',
  '#bf3630',
  '#a52a25',
  '#87211d',
  '#6b1815',
]
const amber: MantineColorsTuple = [
  '#fdf4e1',
  '#fae8c2',
  '#f4d085',
  '#edb649',
  '#e39f22',
  '#c4820f',
  '#9c6609',
  '#825406',
  '#6a4405',
  '#523404',
]

const colors = { tide, gray, green, red, amber }

/**
 * The look of the portal. The only colours of pages: `tide` (the accent),
 * `gray`, `green`, `red` and `amber`. Shade 7 and darker is text on light ground,
 * shade 4 and lighter on dark ground, and white is text on shade 6 and darker,
 * each with a contrast of 4.5 or more (WCAG 2.2, 1.4.3).
 */
export const theme = createTheme({
  primaryColor: 'tide',
  primaryShade: { light: 7, dark: 6 },
  black: '#1b2129',
  colors: { ...colors, dark },
  fontFamily:
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.875rem', lineHeight: '1.25' },
      h2: { fontSize: '1.375rem', lineHeight: '1.3' },
      h3: { fontSize: '1.125rem', lineHeight: '1.4' },
      h4: { fontSize: '1rem', lineHeight: '1.5' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // Its element is a header, which counts as a banner of the page (WAI-ARIA, landmarks).
    ModalHeader: { defaultProps: { role: 'presentation' } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Badge: { defaultProps: { variant: 'light' } },
  },
})

/** Replaces Mantine's variables with too little contrast. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': gray[7],
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-error': red[7],
    '--mantine-color-success': green[7],
    '--mantine-color-default-border': gray[3],
    '--surface': '#ffffff',
    '--surface-sunken': gray[0],
    '--line': gray[2],
    '--input-line': gray[5],
    '--focus': tide[6],
  },
  dark: {
    ...darkTints(),
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-error': red[3],
    '--mantine-color-success': green[3],
    // Also on the tinted background of a notice.
    '--mantine-color-anchor': tide[3],
    '--surface': '#1d2630',
    '--surface-sunken': dark[8],
    '--line': dark[5],
    '--input-line': dark[3],
    '--focus': tide[3],
  },
})

/** Backgrounds of badges and alerts in the dark scheme: dark, but coloured. */
function darkTints(): Record<string, string> {
  const tints = Object.entries(colors).flatMap(([name, shades]) => [
    [`--mantine-color-${name}-light`, shades[9]],
    [`--mantine-color-${name}-light-hover`, shades[8]],
    [`--mantine-color-${name}-light-color`, shades[1]],
  ])
  return Object.fromEntries(tints)
}
