import type { Block, LetterText } from './letter-body.ts'
import { utcDay } from './utc-time.ts'

export interface LimitsFacts {
  readonly developerId: string
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly applications: readonly {
    readonly id: string
    readonly name: string
    readonly operations: readonly {
      readonly api: string
      readonly version: string
      readonly operation: string
      readonly refused: number
    }[]
  }[]
}

/** How many operations of an application a digest lists; the portal shows all. */
const operationsMax = 20

/** The daily digest: calls refused by a limit. */
export function limitsLetter(portalUrl: string, letter: LimitsFacts): LetterText {
  const day = utcDay(new Date(letter.day))
  return {
    subject: `Limits reached on ${day}`,
    blocks: [
      `On ${day} (UTC) your applications reached their limits. The gateway refused these calls. Refused calls do not count against your limits.`,
      ...letter.applications.flatMap(({ id, name, operations }): Block[] => [
        {
          facts: [
            { label: 'Application', name },
            ...operations.slice(0, operationsMax).map(({ api, version, operation, refused }) => ({
              label: `${api} ${version}, ${operation}`,
              value: `${refused} ${refused === 1 ? 'call' : 'calls'} refused`,
            })),
            ...(operations.length > operationsMax
              ? [{ label: 'More operations', value: String(operations.length - operationsMax) }]
              : []),
          ],
        },
        { link: 'See the usage of this application', url: `${portalUrl}/applications/${id}/usage` },
      ]),
    ],
  }
}
