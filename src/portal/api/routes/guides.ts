import { Type } from 'typebox'
import { versionKey } from '../../../catalogue/catalogue.ts'
import { frontMarkdown } from '../../documents/front-markdown.ts'
import type { FrontPages } from '../../documents/front-page.ts'
import type { ProblemSamples } from '../../documents/problem-sample.ts'
import { diffMarkdown, problemMarkdown, sandboxMarkdown } from '../../documents/public-markdown.ts'
import type { ServedDocument } from '../../documents/served-document.ts'
import { versionMarkdown } from '../../documents/version-markdown.ts'
import type { Guides } from '../../guides/guides.ts'
import { llmsText } from '../../guides/llms-text.ts'
import { createSearchIndex } from '../../guides/search-index.ts'
import { brandName } from '../../pages/brand-facts.ts'
import { createCompression } from '../../pages/compression.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { serializeOnce } from '../answer-serializer.ts'
import { isErrorCode } from '../error-words.ts'
import { PortalError } from '../portal-error.ts'
import { rememberByMinute } from '../remember-by-minute.ts'
import { DiffQuery } from '../schemas/catalogue.ts'
import { closed } from '../schemas/common.ts'
import { Guide, GuideList, LanguageQuery, SearchIndex } from '../schemas/guides.ts'
import { sendEtag } from '../send-etag.ts'
import { createRememberedDiff } from './remembered-diff.ts'

/** Public and cacheable; clients see a reload within a minute. */
const cacheControl = 'public, max-age=60'
const markdownType = 'text/markdown; charset=utf-8'

const GuideParams = Type.Object({ guide: Type.String() })
const ApiParams = Type.Object({ api: Type.String() })
const CodeParams = Type.Object({ code: Type.String() })
const DiffMarkdownQuery = closed({ ...DiffQuery.properties, ...LanguageQuery.properties })
const VersionParams = Type.Object({ api: Type.String(), version: Type.String() })

/** The guides and the reference as data for the page and as Markdown for programs, and what the search finds. */
export function registerGuides(
  app: PortalApp,
  services: Pick<
    PortalServices,
    'catalogue' | 'gatewayUrl' | 'portalUrl' | 'now' | 'sandbox' | 'hasDrills'
  > & {
    readonly guides: Guides
    readonly problemSamples: ProblemSamples
    readonly servedDocument: ServedDocument
    readonly frontPages: Pick<FrontPages, 'known'>
  },
): void {
  const { catalogue, portalUrl, now, guides, problemSamples, frontPages, sandbox, servedDocument } =
    services
  const diff = createRememberedDiff()
  const searchIndex = createSearchIndex(services)
  const indexes = rememberByMinute<Promise<SearchIndex>>(services)
  const markdown = rememberByMinute<string>(services)
  const onSend = createCompression()

  app.register((scope, _options, done) => {
    sendEtag(scope)
    registerData(scope)
    registerMarkdown(scope)
    done()
  })

  function registerData(scope: PortalApp): void {
    scope.get(
      '/api/guides',
      {
        schema: {
          operationId: 'listGuides',
          summary: 'List the guides',
          querystring: LanguageQuery,
          response: { 200: GuideList },
        },
      },
      async ({ query }, reply) => {
        reply.header('cache-control', cacheControl)
        const items = guides.list(query.language ?? 'en')
        return {
          items: items.map(({ name, title, description }) => ({ name, title, description })),
        }
      },
    )

    scope.get(
      '/api/guides/:guide',
      {
        schema: {
          operationId: 'getGuide',
          summary: 'Read a guide',
          params: GuideParams,
          querystring: LanguageQuery,
          response: { 200: Guide },
        },
      },
      async ({ params, query }, reply) => {
        const { markdown, parts, ...guide } = known(
          guides.find(params.guide, query.language ?? 'en'),
        )
        reply.header('cache-control', cacheControl)
        return {
          ...guide,
          headings: guide.headings.map(({ id, title, level }) => ({ id, title, level })),
          parts: parts.map((part) => {
            if (part.kind !== 'samples') return part
            const { method, path } = part.operation
            const { kind, summary, samples } = part
            return { kind, method, path, summary, samples: [...samples] }
          }),
        }
      },
    )

    scope.get(
      '/api/search-index',
      {
        schema: {
          operationId: 'getSearchIndex',
          summary: 'List what the search of the page finds',
          querystring: LanguageQuery,
          response: { 200: SearchIndex },
        },
        serializerCompiler: serializeOnce,
        onSend,
      },
      async ({ query }, reply) => {
        reply.header('cache-control', cacheControl)
        const language = query.language ?? 'en'
        return indexes(language, async () => ({ items: await searchIndex(language) }))
      },
    )
  }

  /** For programs: English, unless the address asks for another language. */
  function registerMarkdown(scope: PortalApp): void {
    scope.get(
      '/guides/:guide.md',
      { schema: { params: GuideParams, querystring: LanguageQuery } },
      async ({ params, query }, reply) =>
        reply
          .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
          .send(known(guides.find(params.guide, query.language ?? 'en')).markdown),
    )

    scope.get(
      '/apis/:api/:version.md',
      { schema: { params: VersionParams, querystring: LanguageQuery }, onSend },
      async ({ params, query }, reply) => {
        const published = known(catalogue().versions.get(versionKey(params.api, params.version)))
        const language = query.language ?? 'en'
        const text = markdown(`${language} ${published.api} ${published.version}`, () =>
          versionMarkdown({
            published,
            language,
            portalUrl: portalUrl(),
            document: servedDocument(published, language),
            plans: published.plans.flatMap((name) => catalogue().plans.get(name) ?? []),
          }),
        )
        return reply
          .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
          .send(text)
      },
    )

    scope.get(
      '/apis/:api/diff.md',
      { schema: { params: ApiParams, querystring: DiffMarkdownQuery } },
      async ({ params, query }, reply) => {
        const from = known(catalogue().versions.get(versionKey(params.api, query.from)))
        const to = known(catalogue().versions.get(versionKey(params.api, query.to)))
        return reply
          .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
          .send(diffMarkdown(diff(from, to), query.language ?? 'en'))
      },
    )

    scope.get(
      '/problems/:code.md',
      { schema: { params: CodeParams, querystring: LanguageQuery } },
      async ({ params, query }, reply) => {
        const code = known(isErrorCode(params.code) ? params.code : undefined)
        return reply
          .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
          .send(problemMarkdown(code, problemSamples(code), query.language ?? 'en'))
      },
    )

    if (sandbox !== undefined) {
      scope.get(
        '/sandbox.md',
        { schema: { querystring: LanguageQuery } },
        async ({ query }, reply) => {
          const text = sandboxMarkdown(await sandbox.describe(), query.language ?? 'en')
          return reply
            .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
            .send(text)
        },
      )
    }

    scope.get('/index.md', { schema: { querystring: LanguageQuery } }, async ({ query }, reply) => {
      const language = query.language ?? 'en'
      const text = markdown(`${language} front`, () =>
        frontMarkdown({
          front: frontPages.known(),
          versions: [...catalogue().versions.values()],
          portalUrl: portalUrl(),
          language,
          nowMs: now(),
        }),
      )
      return reply
        .headers({ 'content-type': markdownType, 'cache-control': cacheControl })
        .send(text)
    })

    scope.get('/llms.txt', { schema: { querystring: LanguageQuery } }, async ({ query }, reply) => {
      const language = query.language ?? 'en'
      const text = llmsText({
        guides: guides.list(language),
        versions: [...catalogue().versions.values()],
        portalUrl: portalUrl(),
        brandName: brandName(catalogue().brand, language),
        language,
        nowMs: now(),
      })
      return reply
        .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': cacheControl })
        .send(text)
    })
  }
}

function known<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value
  throw new PortalError({ code: 'NOT_FOUND', detail: 'This page does not exist.' })
}
