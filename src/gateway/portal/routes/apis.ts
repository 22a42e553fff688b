import { type Catalogue, versionKey } from '../../../catalogue/catalogue.ts'
import type { PortalApp } from '../portal-app.ts'
import { PortalError } from '../portal-error.ts'
import type { PortalServices } from '../services.ts'
import { publishedApis } from './published-apis.ts'
import { createRememberedDiff } from './remembered-diff.ts'

/** What is published, for anybody: the list, the documents and the differences between versions. */
export function registerApis(
  app: PortalApp,
  { catalogue }: Pick<PortalServices, 'catalogue'>,
): void {
  const diff = createRememberedDiff()

  app.get('/api/apis', () => publishedApis(catalogue()))

  app.get<{ Params: { api: string; version: string } }>(
    '/api/apis/:api/:version/openapi.json',
    ({ params }) => publishedVersion(catalogue(), params.api, params.version).document,
  )

  app.get<{ Params: { api: string }; Querystring: Record<string, unknown> }>(
    '/api/apis/:api/diff',
    ({ params, query }) => {
      const { api } = params
      const old = publishedVersion(catalogue(), api, String(query['from']))
      return diff(old, publishedVersion(catalogue(), api, String(query['to'])))
    },
  )
}

function publishedVersion(catalogue: Catalogue, api: string, version: string) {
  const published = catalogue.versions.get(versionKey(api, version))
  if (published !== undefined) return published
  const known = [...catalogue.versions.keys()].join(', ')
  const detail = `There is no such API version. Published are ${known}.`
  throw new PortalError({ code: 'NOT_FOUND', detail })
}
