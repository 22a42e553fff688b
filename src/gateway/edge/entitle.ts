import { versionKey } from '../../catalogue/catalogue.ts'
import type { Check } from './check.ts'

/**
 * Finds the plan under which the caller may use this version: an active
 * subscription, to a plan that is still published for the version.
 */
export const entitle: Check = (call, next) => {
  const { caller, operation, published } = call
  const { api, version } = operation
  if (caller.isSuspended) {
    next({ code: 'APPLICATION_SUSPENDED', members: { api, version } })
    return
  }
  const key = versionKey(api, version)
  const planName = caller.plans.get(key)
  const plan = planName === undefined ? undefined : published.catalogue.plans.get(planName)
  if (plan === undefined || !call.versionIfKnown?.plans.includes(plan.name)) {
    next({
      code: 'NOT_SUBSCRIBED',
      detail: `The application has no active subscription to ${api} ${version}.`,
      members: { api, version },
    })
    return
  }
  call.entitled(plan)
  next()
}
