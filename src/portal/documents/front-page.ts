import type { ApiVersion, OpenApiDocument } from '../../catalogue/catalogue.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import { publishedLimit } from '../api/published-limit.ts'
import type { FrontPage } from '../api/schemas/catalogue.ts'
import type { PortalServices } from '../services.ts'
import { frontSample } from './front-sample.ts'

/** What the first page shows in addition to the list of APIs. */
export interface FrontPages {
  /** Without waiting: the customers are null until the bank has named them once. */
  readonly known: () => FrontPage
  /** Asks the bank for its customers; they are null without a sandbox and while it is away. */
  readonly complete: () => Promise<FrontPage>
}

export interface FrontPageOptions
  extends Pick<PortalServices, 'catalogue' | 'gatewayUrl' | 'now' | 'sandbox'> {
  readonly servedDocument: (published: ApiVersion) => OpenApiDocument
}

/** Creates what the first page shows; follows the catalogue. */
export function createFrontPages(options: FrontPageOptions): FrontPages {
  const { catalogue, gatewayUrl, now, sandbox, servedDocument } = options
  /** Each served document is made once a day. */
  const samples = new WeakMap<OpenApiDocument, FrontPage['sample']>()
  let customers: number | null = null

  function sampleOf(published: ApiVersion): FrontPage['sample'] {
    // Of thousands of versions, few have one; only for those is the document made.
    if (published.document.head['x-sample-flows'] === undefined) return null
    const document = servedDocument(published)
    const known = samples.get(document)
    if (known !== undefined) return known
    const sample = frontSample({ published, document, gatewayUrl: gatewayUrl() })
    samples.set(document, sample)
    return sample
  }

  /** Built from the newest version that shows a sample and still answers; without one, from the newest. */
  function known(): FrontPage {
    const newestFirst = [...catalogue().versions.values()]
      .toReversed()
      .filter(({ lifecycle }) => !isRetired(lifecycle, now()))
    const shown = newestFirst.find((published) => sampleOf(published) !== null) ?? newestFirst[0]
    const { plans } = catalogue()
    const [limit] = shown?.plans.flatMap((name) => plans.get(name)?.limits ?? []) ?? []
    return {
      hasProducts: newestFirst.some(({ document }) => document.head['x-products'] !== undefined),
      sample: shown === undefined ? null : sampleOf(shown),
      customers,
      limit: limit === undefined ? null : publishedLimit(limit),
    }
  }

  return {
    known,
    async complete() {
      try {
        customers ??= (await sandbox?.describe())?.customers.length ?? null
      } catch {
        // The page does without this number, and the page of the sandbox reports the outage.
      }
      return known()
    },
  }
}
