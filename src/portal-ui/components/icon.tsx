/** One set of icons: 16 px, strokes of 1.8 px. Decoration only: each is next to words. */
const paths = {
  bank: 'M2 6.5 8 3l6 3.5M3 6.5h10M4 6.5V12M8 6.5V12M12 6.5V12M2.5 13h11',
  arrows: 'M3 5.5h9.5L10 3M13 10.5H3.5L6 13',
  paper: 'M4 2h5.5L12 4.5V14H4zM6 7h4M6 10h4',
  key: 'M9.5 6.5 14 2M12 4l1.5 1.5M6.5 13a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  gauge: 'M2.5 12a6 6 0 1 1 11 0M8 9.5l2.5-3',
  list: 'M6 4h8M6 8h8M6 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  play: 'M5 3.2v9.6L12.5 8z',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1 1H3zM6.8 14.5h2.4',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M3.6 12.4l1.2-1.2M11.2 4.8l1.2-1.2',
  grid: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M11 3a2.5 2.5 0 0 1 0 4.5M12.2 9.6a4.5 4.5 0 0 1 2.3 3.9',
  shield: 'M8 2l5 2v4c0 3-2.2 5.2-5 6-2.8-.8-5-3-5-6V4z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14',
  book: 'M8 4.2C6.6 3 4.5 2.8 2.5 3v9.5c2-.2 4.1 0 5.5 1.2 1.4-1.2 3.5-1.4 5.5-1.2V3c-2-.2-4.1 0-5.5 1.2zM8 4.2v9.5',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7',
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5h3.2l.8 1.5h3l.8-1.5h3.2',
  sliders:
    'M2.5 4.5h5M11 4.5h2.5M2.5 11.5h2M8 11.5h5.5M9.2 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM6.2 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  pulse: 'M1.5 8h3l2-4.5 3 9 2-4.5h3',
  ban: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4',
  newcomer:
    'M6.5 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM2 13.5a4.5 4.5 0 0 1 9 0M12.5 5v4M10.5 7h4',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  )
}
