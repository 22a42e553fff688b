import { Type } from 'typebox'
import {
  type ApiVersion,
  type Catalogue,
  type OpenApiDocument,
  versionKey,
} from '../../../catalogue/catalogue.ts'
import type { FrontPages } from '../../documents/front-page.ts'
import type { ServedDocument } from '../../documents/served-document.ts'
import { createCompression } from '../../pages/compression.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { serializeOnce } from '../answer-serializer.ts'
import { notFound, PortalError } from '../portal-error.ts'
import { rememberByMinute } from '../remember-by-minute.ts'
import { DiffQuery, FrontPage, PublishedApis, VersionDiff } from '../schemas/catalogue.ts'
import { LanguageQuery } from '../schemas/guides.ts'
import { publishedApis } from './published-apis.ts'
import { createRememberedDiff } from './remembered-diff.ts'
import { createRememberedPart } from './remembered-part.ts'

/** Public and cacheable; clients see a reload within a minute. */
const cacheControl = 'public, max-age=60'

const VersionParams = Type.Object({ api: Type.String(), version: Type.String() })
const OperationParams = Type.Object({ ...VersionParams.properties, operation: Type.String() })
const ApiParams = Type.Object({ api: Type.String() })
const Document = Type.Unsafe<OpenApiDocument>(
  Type.Object(
    { openapi: Type.String(), info: Type.Object({}), paths: Type.Object({}) },
    { description: 'an OpenAPI 3.1 document' },
  ),
)

export interface ApiServices extends Pick<PortalServices, 'catalogue' | 'now'> {
  readonly servedDocument: ServedDocument
  readonly frontPages: FrontPages
}

/** The published APIs, without a session: the list, the documents and the differences between versions. */
export function registerApis(
  app: PortalApp,
  { catalogue, now, servedDocument, frontPages }: ApiServices,
): void {
  const diff = createRememberedDiff()
  const onSend = createCompression()
  const remembered = rememberByMinute<PublishedApis>({ catalogue, now })
  const part = createRememberedPart()

  app.get(
    '/api/apis',
    {
      onSend,
      schema: {
        operationId: 'listApis',
        summary: 'List the published APIs with their versions, operations and plans',
        querystring: LanguageQuery,
        response: { 200: PublishedApis },
      },
      serializerCompiler: serializeOnce,
    },
    async ({ query }, reply) => {
      reply.header('cache-control', cacheControl)
      const language = query.language ?? 'en'
      return remembered(language, () => publishedApis(catalogue(), now(), language))
    },
  )

  app.get(
    '/api/apis/:api/:version/openapi.json',
    {
      onSend,
      schema: {
        operationId: 'getApiDocument',
        summary: 'Read the OpenAPI document of a version',
        params: VersionParams,
        querystring: LanguageQuery,
        response: { 200: Document },
      },
      serializerCompiler: serializeOnce,
    },
    async ({ params, query }, reply) => {
      const published = publishedVersion(catalogue(), params.api, params.version)
      reply.header('cache-control', cacheControl)
      return servedDocument(published, query.language)
    },
  )

  app.get(
    '/api/apis/:api/:version/operations/:operation',
    {
      onSend,
      schema: {
        operationId: 'getApiOperation',
        summary: 'Read one operation of a version, as a document with only what it refers to',
        params: OperationParams,
        querystring: LanguageQuery,
        response: { 200: Document },
      },
      serializerCompiler: serializeOnce,
    },
    async ({ params, query }, reply) => {
      const published = publishedVersion(catalogue(), params.api, params.version)
      const operation = published.operations.find(({ id }) => id === params.operation)
      if (operation === undefined) throw notFound()
      reply.header('cache-control', cacheControl)
      return part(servedDocument(published, query.language), operation)
    },
  )

  app.get(
    '/api/front',
    {
      onSend,
      schema: {
        operationId: 'getFrontPage',
        summary: 'Read what the first page shows: a sample with its answers',
        response: { 200: FrontPage },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', cacheControl)
      return frontPages.complete()
    },
  )

  app.get(
    '/api/apis/:api/diff',
    {
      schema: {
        operationId: 'compareVersions',
        summary: 'Compare two versions of an API',
        params: ApiParams,
        querystring: DiffQuery,
        response: { 200: VersionDiff },
      },
    },
    async ({ params, query }, reply) => {
      const from = publishedVersion(catalogue(), params.api, query.from)
      const to = publishedVersion(catalogue(), params.api, query.to)
      reply.header('cache-control', cacheControl)
      return diff(from, to)
    },
  )
}

function publishedVersion(catalogue: Catalogue, api: string, version: string): ApiVersion {
  const published = catalogue.versions.get(versionKey(api, version))
  if (published !== undefined) return published
  const known = [...catalogue.versions.keys()].join(', ')
  const detail = `There is no such API version. Published are ${known}.`
  throw new PortalError({ code: 'NOT_FOUND', detail })
}
