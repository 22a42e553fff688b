import type { ApiVersion, OpenApiDocument } from '../../../catalogue/catalogue.ts'
import type { PortalServices } from '../services.ts'
import { utcDay, withMovedDays } from './moved-days.ts'
import { withSamples } from './with-samples.ts'

/**
 * Creates the function that turns the document of a version into the one that
 * developers get. Its server is the gateway as developers reach it. The days in
 * its examples move along: `x-examples-day` becomes today (UTC). Its operations
 * have samples. Each document is made once a day and again after a reload of
 * the catalogue.
 */
export function createServedDocument({
  gatewayUrl,
  now,
}: Pick<PortalServices, 'gatewayUrl' | 'now'>): (published: ApiVersion) => OpenApiDocument {
  const known = new WeakMap<
    ApiVersion,
    { readonly made: string; readonly served: OpenApiDocument }
  >()
  return (published) => {
    const origin = gatewayUrl()
    const today = utcDay(now())
    const made = `${today} ${origin}`
    const last = known.get(published)
    if (last?.made === made) return last.served
    const servers = [{ url: `${origin}${published.prefix}` }]
    const document = { ...movedTo(published.document, today), servers }
    const served = withSamples(document, published, origin)
    known.set(published, { made, served })
    return served
  }
}

function movedTo(document: OpenApiDocument, today: string): OpenApiDocument {
  const { 'x-examples-day': written, ...rest } = document
  if (typeof written !== 'string') return document
  // A copy has the members of what it copies.
  return withMovedDays(rest, written, today) as OpenApiDocument
}
