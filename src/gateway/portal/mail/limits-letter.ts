import type { Block, LetterText } from './letter-body.ts'
import type { LimitsLetter } from './letters.ts'
import { utcDay } from './utc-time.ts'

/** How many operations of an application a digest lists; the portal shows all. */
const operationsMax = 20

/** The daily digest. */
export function limitsLetter(letter: LimitsLetter, portalUrl: string): LetterText {
  const day = utcDay(new Date(letter.day))
  return {
    subject: `Limits reached on ${day}`,
    blocks: [
      {
        paragraph: `On ${day} (UTC) your applications reached their limits. The gateway refused these calls; refused calls don't use up quota.`,
      },
      ...letter.applications.flatMap(({ id, name, operations }): Block[] => [
        {
          facts: [
            { label: 'Application', name },
            ...operations.slice(0, operationsMax).map(({ api, version, operation, refused }) => ({
              label: `${api} ${version}, ${operation}`,
              value: `${refused} ${refused === 1 ? 'call' : 'calls'} refused`,
            })),
            ...(operations.length > operationsMax
              ? [{ label: 'And', value: `${operations.length - operationsMax} more operations` }]
              : []),
          ],
        },
        { link: 'See its usage', url: `${portalUrl}/applications/${id}/usage` },
      ]),
    ],
  }
}
