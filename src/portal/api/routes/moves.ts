import { Type } from 'typebox'
import { type ApiVersion, type Catalogue, versionKey } from '../../../catalogue/catalogue.ts'
import type { DiffedOperation } from '../../../catalogue/diff.ts'
import { isRetired } from '../../../catalogue/lifecycle.ts'
import type * as joined from '../../../registry/applications/subscriptions.ts'
import type { PortalApp } from '../../portal-app.ts'
import { replayApplication } from '../../replay/replay-application.ts'
import type * as replayed from '../../replay/replay-calls.ts'
import type { Needs } from '../../services.ts'
import { subscriptionAnswer } from '../answers.ts'
import { ownItem } from '../own-application.ts'
import { conflict, inputInvalid } from '../portal-error.ts'
import { actorOf } from '../request.ts'
import { Subscription } from '../schemas/applications.ts'
import type { VersionDiff } from '../schemas/catalogue.ts'
import { MoveInput, MovePreview, MoveQuery, type Replay } from '../schemas/moves.ts'
import { checkSubscribable } from '../subscribable.ts'
import { createRememberedDiff } from './remembered-diff.ts'

const Params = Type.Object({
  id: Type.String({ description: 'of the application' }),
  subscriptionId: Type.String({ description: 'of the subscription' }),
})
const path = '/api/applications/:id/subscriptions/:subscriptionId/move'

/** Moves a subscription to another version, and predicts how that version would handle its calls. Needs a session. */
export function registerMoves(
  app: PortalApp,
  {
    catalogue,
    now,
    stores,
  }: Needs<'catalogue' | 'now', 'applications' | 'calls' | 'overrides' | 'subscriptions'>,
): void {
  const { overrides, subscriptions } = stores
  const diff = createRememberedDiff()

  app.get(
    path,
    {
      schema: {
        operationId: 'previewMove',
        summary: "Predict what the application's recorded calls would meet in another version",
        params: Params,
        querystring: MoveQuery,
        response: { 200: MovePreview },
        problems: ['CONFLICT'],
      },
    },
    async (request) => {
      const { subscriptionId } = request.params
      const subscription = await ownItem(stores, request, subscriptions, subscriptionId)
      const { from, to } = versionsOf(catalogue(), subscription, request.query.to)
      const { applicationId } = subscription
      const active = await subscriptions.list({ applicationId })
      const known = active.find(({ api, version }) => api === to.api && version === to.version)
      const plan = known?.plan ?? planIn(to, subscription.plan)
      const replay = await replayApplication({
        stores,
        catalogue: catalogue(),
        applicationId,
        from,
        to,
        plan,
        nowMs: now(),
      })
      const all = await overrides.list({ applicationId })
      return {
        api: from.api,
        from: from.version,
        to: to.version,
        plan,
        keepsPlan: plan === subscription.plan,
        isSubscribed: known !== undefined,
        overrides: all
          .filter(({ api, version }) => api === from.api && version === from.version)
          .map(({ limit, calls, expiresAt }) => ({
            limit,
            calls,
            expiresAt: expiresAt.toISOString(),
          })),
        replay: replayAnswer(replay, diff(from, to)),
      }
    },
  )

  app.post(
    path,
    {
      schema: {
        operationId: 'moveSubscription',
        summary: 'Replace a subscription by one to another version, without a gap',
        params: Params,
        body: MoveInput,
        response: { 200: Subscription },
        problems: ['CONFLICT'],
      },
      config: { needsProof: 'always' },
    },
    async (request) => {
      const { body, params } = request
      const old = await ownItem(stores, request, subscriptions, params.subscriptionId)
      const { to } = versionsOf(catalogue(), old, body.to)
      const { api, version } = to
      const active = await subscriptions.list({ applicationId: old.applicationId })
      const known = active.find((other) => other.api === api && other.version === version)
      const plan = body.plan ?? known?.plan ?? old.plan
      checkSubscribable(catalogue(), { api, version, plan }, now())
      const moved = await subscriptions.move({ id: old.id, version, plan, by: actorOf(request) })
      return subscriptionAnswer(moved)
    },
  )

  /** @throws {PortalError} INPUT_INVALID naming the versions to move to; CONFLICT for a subscription that has ended */
  function versionsOf(
    { versions }: Catalogue,
    { api, version, endedAt }: joined.Subscription,
    wanted: string,
  ): { readonly from: ApiVersion; readonly to: ApiVersion } {
    const from = versions.get(versionKey(api, version))
    if (endedAt !== null || from === undefined) {
      throw conflict(
        'subscription-ended',
        'This subscription has ended, or its version is no longer published.',
      )
    }
    const others = [...versions.values()].filter(
      (other) => other.api === api && other !== from && !isRetired(other.lifecycle, now()),
    )
    const to = others.find((other) => other.version === wanted)
    if (to !== undefined) return { from, to }
    const names = others.map((other) => other.version).join(', ')
    throw inputInvalid('/to', `one of ${names === '' ? 'no versions: there is no other' : names}`)
  }
}

/** The same plan, if the version is offered under it. */
function planIn({ plans }: ApiVersion, plan: string): string {
  return plans.includes(plan) ? plan : (plans[0] ?? plan)
}

function replayAnswer(replay: replayed.Replay, { changed }: VersionDiff): Replay {
  return {
    ...replay,
    since: replay.since?.toISOString() ?? null,
    until: replay.until?.toISOString() ?? null,
    operations: replay.operations.map(({ operation, instead, refusals, ...counts }) => ({
      ...named(operation),
      ...counts,
      refusals: [...refusals],
      instead: (instead?.operations ?? []).map(named),
      note: instead?.note ?? null,
      changes: changed.find(({ id }) => id === operation.id)?.changes ?? [],
    })),
  }
}

function named({ id, method, template, summary }: DiffedOperation): DiffedOperation {
  return { id, method, template, summary }
}
