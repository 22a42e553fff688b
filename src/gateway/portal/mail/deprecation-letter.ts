import type { LetterText } from './letter-body.ts'
import type { DeprecationLetter } from './letters.ts'
import { utcDay } from './utc-time.ts'

/** A version ends, or is announced to. */
export function deprecationLetter(letter: DeprecationLetter, portalUrl: string): LetterText {
  const { api, version, deprecated, sunset, retired, successor, daysLeft } = letter
  const subject =
    daysLeft === undefined
      ? `${api} ${version} is deprecated`
      : `${api} ${version} ends in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`
  const dates = [
    { label: 'Deprecated from', day: deprecated },
    { label: 'Announced to end on', day: sunset },
    { label: 'Calls are refused from', day: retired },
  ].flatMap(({ label, day }) =>
    day === undefined ? [] : [{ label, value: `${utcDay(new Date(day))}, 00:00 UTC` }],
  )
  return {
    subject,
    blocks: [
      {
        paragraph: `Version ${version} of ${api}, to which your applications are subscribed, ${
          daysLeft === undefined ? 'is deprecated' : 'comes to its end'
        }.${successor === undefined ? '' : ` Version ${successor} takes its place.`}`,
      },
      ...(dates.length === 0 ? [] : [{ facts: dates }]),
      { paragraph: 'Still subscribed, with their calls to this version in the last 30 days:' },
      ...letter.applications.map(({ name, calls }) => ({
        facts: [
          { label: 'Application', name },
          { label: 'Calls', value: String(calls) },
        ],
      })),
      successor === undefined
        ? { link: 'The version', url: `${portalUrl}/apis/${api}/${version}` }
        : {
            link: 'What is different',
            url: `${portalUrl}/apis/${api}/diff?from=${version}&to=${successor}`,
          },
    ],
  }
}
