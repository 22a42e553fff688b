import type { ApiVersion, OpenApiDocument } from '../../../catalogue/catalogue.ts'
import { isRetired } from '../../../catalogue/lifecycle.ts'
import type { FrontPage } from '../schemas/catalogue.ts'
import type { PortalServices } from '../services.ts'
import { frontSample } from './front-sample.ts'

/** What the first page shows besides the list of APIs. */
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
    const document = servedDocument(published)
    const known = samples.get(document)
    if (known !== undefined) return known
    const sample = frontSample({ published, document, gatewayUrl: gatewayUrl() })
    samples.set(document, sample)
    return sample
  }

  /** Of the newest version that shows one and still answers. */
  function sample(): FrontPage['sample'] {
    const newestFirst = [...catalogue().versions.values()].toReversed()
    for (const published of newestFirst) {
      if (isRetired(published.lifecycle, now())) continue
      const made = sampleOf(published)
      if (made !== null) return made
    }
    return null
  }

  const known = (): FrontPage => ({ sample: sample(), customers })
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
