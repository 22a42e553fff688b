import { type Catalogue, type Limit, versionKey } from '../../catalogue/catalogue.ts'

/** The limits of a subscription's plan; none of a version that is not published. */
export function limitsOf(
  { plans, versions }: Catalogue,
  { api, version, plan }: { readonly api: string; readonly version: string; readonly plan: string },
): readonly Limit[] {
  const isPublished = versions.has(versionKey(api, version))
  return isPublished ? (plans.get(plan)?.limits ?? []) : []
}
