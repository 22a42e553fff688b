import type { LetterText } from './letter-body.ts'
import { utcDay } from './utc-time.ts'

export interface DeprecationFacts {
  readonly developerId: string
  readonly api: string
  readonly version: string
  /** Days as `YYYY-MM-DD`, UTC. */
  readonly deprecated: string | undefined
  readonly sunset: string | undefined
  readonly retired: string | undefined
  readonly successor: string | undefined
  /** Until the end; undefined while no end is announced. */
  readonly daysLeft: number | undefined
  /** Those still subscribed. */
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    /** To this version in the last 30 days. */
    readonly calls: number
  }[]
}

/** Tells a developer that a version is deprecated or about to end. */
export function deprecationLetter(portalUrl: string, letter: DeprecationFacts): LetterText {
  const { api, version, deprecated, sunset, retired, successor, daysLeft } = letter
  const subject =
    daysLeft === undefined
      ? `${api} ${version} is deprecated`
      : `${api} ${version} ends in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`
  const dates = [
    { label: 'Deprecated from', day: deprecated },
    { label: 'Planned end', day: sunset },
    { label: 'Calls are refused from', day: retired },
  ].flatMap(({ label, day }) =>
    day === undefined ? [] : [{ label, value: `${utcDay(new Date(day))}, 00:00 UTC` }],
  )
  return {
    subject,
    blocks: [
      `Your applications are subscribed to version ${version} of ${api}, which ${
        daysLeft === undefined ? 'is deprecated' : 'is about to end'
      }.${successor === undefined ? '' : ` Version ${successor} replaces it.`}`,
      ...(dates.length === 0 ? [] : [{ facts: dates }]),
      'These applications are still subscribed. Their calls to this version in the last 30 days:',
      ...letter.applications.map(({ name, calls }) => ({
        facts: [
          { label: 'Application', name },
          { label: 'Calls', value: String(calls) },
        ],
      })),
      successor === undefined
        ? { link: 'See this version', url: `${portalUrl}/apis/${api}/${version}` }
        : {
            link: 'See what changes',
            url: `${portalUrl}/apis/${api}/diff?from=${version}&to=${successor}`,
          },
    ],
  }
}
