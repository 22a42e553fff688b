import { Type } from 'typebox'
import type { ListedDeveloper } from '../../../registry/directory.ts'
import { listAnswer, pageOf } from '../../list-page.ts'
import type { PortalApp } from '../../portal-app.ts'
import { notFound, PortalError } from '../../portal-error.ts'
import { actorOf, signedIn } from '../../request.ts'
import { OperatedDeveloper, OperatedDeveloperList, SearchQuery } from '../../schemas/operator.ts'
import type { PortalServices } from '../../services.ts'
import { developerAnswer } from './operator-answers.ts'

const Params = Type.Object({ id: Type.String({ description: 'of the developer' }) })

/** Who signed up: look up, approve, suspend. Needs an operator. */
export function registerOperatedDevelopers(
  app: PortalApp,
  { mails, stores }: Pick<PortalServices, 'mails' | 'stores'>,
): void {
  const { approvals, developers, directory } = stores

  /** @throws {PortalError} NOT_FOUND */
  async function find(id: string): Promise<ListedDeveloper> {
    const found = await directory.developer(id)
    if (found === undefined) throw notFound()
    return found
  }

  app.get(
    '/developers',
    {
      schema: {
        operationId: 'listDevelopers',
        summary: 'List developers by part of their name or address, oldest first',
        tag: 'Operator',
        querystring: SearchQuery,
        response: { 200: OperatedDeveloperList },
      },
    },
    async ({ query }) => {
      const found = await directory.developers({ ...pageOf(query), search: query.search })
      return listAnswer(query, found, developerAnswer)
    },
  )

  app.get(
    '/developers/:id',
    {
      schema: {
        operationId: 'getDeveloper',
        summary: 'Read a developer',
        tag: 'Operator',
        params: Params,
        response: { 200: OperatedDeveloper },
      },
    },
    async ({ params }) => developerAnswer(await find(params.id)),
  )

  app.post(
    '/developers/:id/approve',
    {
      schema: {
        operationId: 'approveDeveloper',
        summary: 'Approve a developer who signed up and send them an email',
        tag: 'Operator',
        params: Params,
        response: { 200: OperatedDeveloper },
      },
    },
    async (request) => {
      const { id } = request.params
      await approvals.approve({
        id,
        by: actorOf(request),
        post: (trx, to) => mails.outbox.post(trx, { kind: 'approved' }, to),
      })
      return developerAnswer(await find(id))
    },
  )

  app.post(
    '/developers/:id/suspend',
    {
      schema: {
        operationId: 'suspendDeveloper',
        summary: 'Suspend a developer: end all sessions and reject the calls of all applications',
        tag: 'Operator',
        params: Params,
        response: { 200: OperatedDeveloper },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { id } = request.params
      if (id === signedIn(request).id) {
        throw new PortalError({
          code: 'CONFLICT',
          detail: 'You cannot suspend your own account. Ask another operator.',
          members: { rule: 'own-account' },
        })
      }
      await developers.suspend({ id, by: actorOf(request) })
      return developerAnswer(await find(id))
    },
  )

  app.post(
    '/developers/:id/resume',
    {
      schema: {
        operationId: 'resumeDeveloper',
        summary: 'Resume a suspended developer',
        tag: 'Operator',
        params: Params,
        response: { 200: OperatedDeveloper },
      },
    },
    async (request) => {
      const { id } = request.params
      await developers.resume({ id, by: actorOf(request) })
      return developerAnswer(await find(id))
    },
  )
}
