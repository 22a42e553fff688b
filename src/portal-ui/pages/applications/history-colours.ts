/**
 * Colours of the plot by what they stand for; the legend takes the same from
 * the style sheet. Each has at least 3:1 contrast to its background (WCAG 2.2,
 * 1.4.11), and in the order of stacking a neighbour differs in lightness too.
 */
export const historyColours = {
  light: {
    admitted: '#0a6879',
    refused: '#c4820f',
    errors: '#6b1815',
    text: '#515c69',
    grid: '#e2e7ec',
  },
  dark: {
    admitted: '#4aabbc',
    refused: '#f4d085',
    errors: '#d64840',
    text: '#9fadbc',
    grid: '#313d4b',
  },
} as const
