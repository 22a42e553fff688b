import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { versionKey } from '../../../catalogue/catalogue.ts'
import { versionTitle } from '../../../catalogue/in-language.ts'
import type { Language } from '../../../messages/language.ts'
import { wordsOf } from '../../../messages/words.ts'
import { aboutOf } from '../../documents/document-nodes.ts'
import type { FrontPages } from '../../documents/front-page.ts'
import type { ServedDocument } from '../../documents/served-document.ts'
import type { Guides } from '../../guides/guides.ts'
import { apisOutline } from '../../pages/apis-outline.ts'
import { compressOnce } from '../../pages/compression.ts'
import { pageDocument } from '../../pages/document.ts'
import { guideContent } from '../../pages/guide-content.ts'
import { knownFacts } from '../../pages/known-facts.ts'
import { landingContent } from '../../pages/landing-page.ts'
import { pageLook } from '../../pages/page-look.ts'
import { isLongReference, pagePaths } from '../../pages/page-paths.ts'
import { sandboxOutline } from '../../pages/sandbox-outline.ts'
import { skeleton } from '../../pages/skeleton.ts'
import { versionOutline } from '../../pages/version-outline.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { languageQuery } from '../language-query.ts'
import { notFound } from '../portal-error.ts'
import { rememberByMinute } from '../remember-by-minute.ts'
import type { AboutVersion, PublishedApis } from '../schemas/catalogue.ts'
import { landingTitle } from '../schemas/landing-title.ts'
import { publishedApis } from './published-apis.ts'

interface PageServices
  extends Pick<
    PortalServices,
    | 'catalogue'
    | 'portalUrl'
    | 'gatewayUrl'
    | 'writesMailsToFiles'
    | 'now'
    | 'page'
    | 'sandbox'
    | 'hasBank'
    | 'mailbox'
    | 'oidc'
    | 'keyMaxDays'
  > {
  readonly guides: Guides
  readonly frontPages: FrontPages
  readonly servedDocument: ServedDocument
}

/** Answers a request with the page, as the given status. */
export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
) => FastifyReply

/** Paths of pages that show the published APIs; their documents hold the list. */
const pathsOfApis: ReadonlySet<string | undefined> = new Set([
  pagePaths.landing,
  pagePaths.apiVersion,
  pagePaths.apiVersionTab,
  pagePaths.apiDiff,
])

/** Paths of pages that show what the first one does, in a sentence at least. */
const pathsOfFront: ReadonlySet<string | undefined> = new Set([pagePaths.landing, pagePaths.signUp])

/**
 * Sends the page. Uses no store, so that the page loads and can report the
 * problem while the database is down.
 */
export function createSendPage(services: PageServices): SendPage {
  const { catalogue, now, page, frontPages, sandbox, servedDocument } = services

  const published = rememberByMinute<PublishedApis>({ catalogue, now })
  const lists = rememberByMinute<string>({ catalogue, now })
  const abouts = rememberByMinute<AboutVersion>({ catalogue, now })

  return (request, reply, status) => {
    const look = pageLook(services, reply)
    const { language, brand, carriesSession } = look
    const { t } = wordsOf(language)
    const path = status === 200 ? request.routeOptions.url : undefined
    const isLanding = path === pagePaths.landing
    const apis = pathsOfApis.has(path)
      ? published(language, () => publishedApis(catalogue(), now(), language))
      : undefined
    // A long list has an address of its own, which a browser keeps.
    const isListApart =
      apis !== undefined && isLongReference({ operations: apis.items.flatMap(operationsOf) })
    const guide = guideAt(request, language)
    const content =
      isLanding && apis !== undefined
        ? lists(language, () => landingContent(apis, wordsOf(language), look))
        : guide !== undefined
          ? guideContent(guide)
          : `<p>${t('document.needsScript')} <a href="/">${t('document.published')}</a></p>`
    const begins = beginningOf(request, path, apis, language)
    const document = pageDocument({
      look,
      title:
        guide === undefined
          ? t('document.title', { name: brand.name })
          : `${guide.title} · ${brand.name}`,
      description: guide?.description ?? t('document.description'),
      files: page.needed(language, path),
      answers: [...(isListApart ? [`/api/apis${languageQuery(language)}`] : []), ...begins.answers],
      skeleton: skeleton({
        words: wordsOf(language),
        brand,
        title: guide?.title ?? begins.title,
        landing: isLanding ? t(landingTitle(frontPages.known())) : undefined,
        isBeside: path === pagePaths.apiVersion,
        content: begins.outline,
      }),
      boot: {
        carriesSession,
        facts: knownFacts(services, request.raw),
        ...(apis === undefined || isListApart ? {} : { apis }),
        ...(begins.about === undefined ? {} : { about: begins.about }),
        ...(pathsOfFront.has(path) ? { front: frontPages.known() } : {}),
      },
      noscript: content,
    })
    return reply
      .code(status)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-language': language,
        'cache-control': 'no-store',
      })
      .send(document)
  }

  /** The guide that a request asks for, so that a link to it shows its title and programs can read it. */
  function guideAt({ routeOptions, params }: FastifyRequest, language: Language) {
    if (routeOptions.url !== pagePaths.guide) return undefined
    return services.guides.find((params as { guide: string }).guide, language)
  }

  /** The initial content of the page at a path, as far as it is known without waiting. */
  function beginningOf(
    { params }: FastifyRequest,
    path: string | undefined,
    apis: PublishedApis | undefined,
    language: Language,
  ): Beginning {
    const words = wordsOf(language)
    if (path === pagePaths.landing) {
      const outline = apis && lists(`${language} outline`, () => apisOutline(apis, words))
      return { outline, answers: [] }
    }
    if (path === pagePaths.sandbox) {
      const described = sandbox?.known()
      const outline =
        described && lists(`${language} sandbox`, () => sandboxOutline(described, words))
      return { title: words.t('sandbox.title'), outline, answers: ['/api/sandbox'] }
    }
    const isVersion = path === pagePaths.apiVersion
    if (!isVersion && path !== pagePaths.apiVersionTab) return { answers: [] }
    const { api = '', version = '' } = params as Readonly<Record<string, string | undefined>>
    const published = catalogue().versions.get(versionKey(api, version))
    if (published === undefined) return { answers: [] }
    const title = versionTitle(published, language)
    if (!isVersion) return { title, answers: [] }
    const versions = apis?.items.find((each) => each.api === api)?.versions
    const known = versions?.find((each) => each.version === version)
    const name = `${language} ${api} ${version}`
    return {
      title,
      about: abouts(name, () => ({
        api,
        version,
        ...aboutOf(servedDocument(published, language)),
      })),
      outline:
        known &&
        lists(name, () => {
          const document = servedDocument(published, language)
          return versionOutline({ version: known, published, document, words })
        }),
      answers: isLongReference(published)
        ? []
        : [
            `/api/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}/openapi.json${languageQuery(language)}`,
          ],
    }
  }
}

function operationsOf({ versions }: PublishedApis['items'][number]): readonly unknown[] {
  return versions.flatMap(({ operations }) => operations)
}

/** What a page shows and asks for before its script runs. */
interface Beginning {
  readonly title?: string | undefined
  /** HTML. */
  readonly outline?: string | undefined
  readonly about?: AboutVersion | undefined
  /** Addresses of what it asks for first. */
  readonly answers: readonly string[]
}

/** Headers that mean nothing on a script, a style or a font. */
const documentHeaders = [
  'content-security-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
] as const

/** Serves the page at each of its paths, and its files. */
export function registerPages(app: PortalApp, services: PageServices, sendPage: SendPage): void {
  const { catalogue, page, sandbox, mailbox, guides } = services

  app.register(async (assets) => {
    // What browsers heed on documents only; on forty small files it would weigh as much as a script.
    assets.addHook('onSend', async (_request, reply) => {
      const { statusCode } = reply
      const isPicture = String(reply.getHeader('content-type')).startsWith('image/svg')
      if (statusCode !== 200 || isPicture) return
      for (const name of documentHeaders) reply.removeHeader(name)
    })
    // @fastify/send refuses with errors of its own kind, such as 403 for a folder: for a client, there is nothing.
    assets.setErrorHandler((error: FastifyError, _request, reply) => {
      const { statusCode = 500 } = error
      if (statusCode >= 500) throw error
      if ([400, 403, 404].includes(statusCode)) throw notFound()
      // 412 and 416 are about an existing file.
      return reply.code(statusCode).send()
    })
    assets.register(fastifyStatic, {
      root: join(page.folder, 'assets'),
      prefix: '/assets/',
      preCompressed: true,
      // The file's name changes with its content.
      immutable: true,
      maxAge: '365d',
      index: false,
      decorateReply: false,
    })
  })

  for (const path of Object.values(pagePaths)) {
    app.get(path, { onSend: compressOnce }, (request, reply) =>
      sendPage(request, reply, statusOf(request)),
    )
  }

  /** Where the reference of a version was; a browser keeps the fragment of the old address. */
  app.get<{ Params: { api: string; version: string } }>(
    '/reference/:api/:version',
    ({ params: { api, version } }, reply) =>
      reply.redirect(`/apis/${encodeURIComponent(api)}/${encodeURIComponent(version)}`, 308),
  )

  /** Unpublished APIs, a disabled sandbox and a mailbox of other machines have no page; the page itself shows that. */
  function statusOf({ params, routeOptions: { url }, raw }: FastifyRequest): 200 | 404 {
    const { api, version, guide } = params as Readonly<Record<string, string | undefined>>
    if (url === pagePaths.apiVersion || url === pagePaths.apiVersionTab) {
      return catalogue().versions.has(versionKey(api ?? '', version ?? '')) ? 200 : 404
    }
    if (url === pagePaths.apiDiff) {
      return [...catalogue().versions.values()].some((known) => known.api === api) ? 200 : 404
    }
    if (url === pagePaths.guide) return guides.find(guide ?? '', 'en') === undefined ? 404 : 200
    if (url === pagePaths.mailbox) return mailbox?.isOpenTo(raw) === true ? 200 : 404
    const isOfSandbox = url === pagePaths.sandbox || url === pagePaths.sandboxReturn
    return isOfSandbox && sandbox === undefined ? 404 : 200
  }
}

/** Whether a person's browser asks, for something to look at. */
export function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    (headers.accept ?? '').includes('text/html') &&
    !url.startsWith('/api/') &&
    !url.startsWith('/assets/')
  )
}
