import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { inputInvalid } from '../../portal-error.ts'
import { Refusals, RefusalsQuery } from '../../schemas/operator.ts'

const hoursDefault = 24
const hoursMax = 720

/** Applications with refused calls. Needs an operator. */
export function registerRefusals(app: PortalApp, { now, stores }: Needs<'now', 'refusals'>): void {
  app.get(
    '/refusals',
    {
      schema: {
        operationId: 'listRefusals',
        summary:
          'List up to 100 applications by refused calls in the last hours (default 24), most first',
        querystring: RefusalsQuery,
        response: { 200: Refusals },
      },
    },
    async ({ query }) => {
      const hours = query.hours === undefined ? hoursDefault : Number(query.hours)
      if (hours > hoursMax) throw inputInvalid('/hours', `1 to ${hoursMax}`)
      const { from, items } = await stores.refusals.list({ hours })
      return { ...withInstants({ from, to: new Date(now()) }), items }
    },
  )
}
