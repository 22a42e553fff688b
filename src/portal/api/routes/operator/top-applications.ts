import { readTopApplications } from '../../../metrics/top-applications.ts'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { TopApplications } from '../../schemas/operator.ts'

/** Rows of each list. */
const shownMax = 25

/** Applications with the most calls, and those that will soon reach a limit. Needs an operator. */
export function registerTopApplications(
  app: PortalApp,
  { catalogue, counter, now, stores }: Needs<'catalogue' | 'counter' | 'now', 'applicationFigures'>,
): void {
  app.get(
    '/top-applications',
    {
      schema: {
        operationId: 'listTopApplications',
        summary:
          'List the applications with the most calls of the last hour and day, and which of their limits are used to more than 80 %',
        response: { 200: TopApplications },
      },
    },
    async () => {
      const { applicationFigures: figures } = stores
      const top = await readTopApplications({ figures, catalogue, counter, now }, shownMax)
      return { hour: [...top.hour], day: [...top.day], usedUp: top.usedUp.map(withInstants) }
    },
  )
}
