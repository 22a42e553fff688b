import { Type } from 'typebox'
import type { PortalApp } from '../../../portal-app.ts'
import type { Needs } from '../../../services.ts'
import { withInstants } from '../../answers.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import { conflict, orNotFound } from '../../portal-error.ts'
import { operatorOf, signedIn } from '../../request.ts'
import { OperatedDeveloper, OperatedDeveloperList, SearchQuery } from '../../schemas/operator.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the developer' }) })

/** Looks up, approves and suspends developers. Needs an operator. */
export function registerOperatedDevelopers(
  app: PortalApp,
  { mails, stores }: Needs<'mails', 'approvals' | 'developers' | 'directory'>,
): void {
  const { approvals, developers, directory } = stores

  const find = (id: string) => orNotFound(directory.developer(id))

  app.get(
    '/developers',
    {
      schema: {
        operationId: 'listDevelopers',
        summary: 'List developers by part of their name or address, oldest first',
        querystring: SearchQuery,
        response: { 200: OperatedDeveloperList },
      },
    },
    async ({ query }) => {
      const found = await directory.developers({ ...pageOf(query), search: query.search })
      return listAnswer(query, found, withInstants)
    },
  )

  app.get(
    '/developers/:id',
    {
      schema: {
        operationId: 'getDeveloper',
        summary: 'Read a developer',
        params: Params,
        response: { 200: OperatedDeveloper },
      },
    },
    async ({ params }) => withInstants(await find(params.id)),
  )

  app.post(
    '/developers/:id/approve',
    {
      schema: {
        operationId: 'approveDeveloper',
        summary: 'Approve a developer who signed up and send them an email',
        params: Params,
        response: { 200: OperatedDeveloper },
      },
    },
    async (request) => {
      const { id } = request.params
      await approvals.approve({
        id,
        by: operatorOf(request),
        outbox: mails.outbox,
      })
      return withInstants(await find(id))
    },
  )

  for (const verb of ['suspend', 'resume'] as const) {
    const isSuspending = verb === 'suspend'
    app.post(
      `/developers/:id/${verb}`,
      {
        schema: {
          operationId: `${verb}Developer`,
          summary: isSuspending
            ? 'Suspend a developer: end all sessions and reject the calls of all applications'
            : 'Resume a suspended developer',
          params: Params,
          response: { 200: OperatedDeveloper },
          problems: isSuspending ? ['CONFLICT'] : [],
        },
      },
      async (request) => {
        const { id } = request.params
        if (isSuspending && id === signedIn(request).id) {
          throw conflict(
            'own-account',
            'You cannot suspend your own account. Ask another operator.',
          )
        }
        await developers[verb]({ id, by: operatorOf(request) })
        return withInstants(await find(id))
      },
    )
  }
}
