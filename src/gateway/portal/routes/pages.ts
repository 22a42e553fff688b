import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { versionKey } from '../../../catalogue/catalogue.ts'
import { type Language, languageFacts, languageOf } from '../../../messages/language.ts'
import { wordsOf } from '../../../messages/words.ts'
import { sessionCookie } from '../accounts/carry-sessions.ts'
import { brandName } from '../brand-facts.ts'
import type { Guides } from '../guides/guides.ts'
import { knownFacts } from '../known-facts.ts'
import { pagePaths } from '../page-paths.ts'
import { guideContent } from '../pages/guide-content.ts'
import { landingContent } from '../pages/landing-page.ts'
import { escapeHtml, plainStyle } from '../pages/page.ts'
import { accentStyle, pageLook } from '../pages/page-look.ts'
import { scriptJson } from '../pages/script-json.ts'
import { referenceHeaders } from '../pages/security-headers.ts'
import type { PortalApp } from '../portal-app.ts'
import type { PortalServices } from '../services.ts'
import { publishedApis } from './published-apis.ts'

type PageServices = Pick<
  PortalServices,
  | 'catalogue'
  | 'portalUrl'
  | 'gatewayUrl'
  | 'writesMailsToFiles'
  | 'now'
  | 'page'
  | 'sandbox'
  | 'mailbox'
  | 'oidc'
  | 'keyMaxDays'
> & { readonly guides: Guides }

/** Answers a request with the page, as the given status. */
export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
) => FastifyReply

/**
 * Sends the page. Uses no store, so that the page loads and can report the
 * problem while the database is down.
 */
export function createSendPage(services: PageServices): SendPage {
  const { catalogue, portalUrl, now, page } = services
  const cookie = `${sessionCookie(portalUrl()).name}=`

  return (request, reply, status) => {
    const { script, style } = reply.cspNonce
    const carriesSession = (request.headers.cookie ?? '')
      .split(';')
      .some((pair) => pair.trimStart().startsWith(cookie))
    const look = pageLook(services, reply)
    const { language, brand } = look
    const { t } = wordsOf(language)
    const isLanding = status === 200 && request.routeOptions.url === pagePaths.landing
    const guide = guideAt(request, language)
    const content = isLanding
      ? landingContent(publishedApis(catalogue(), now()))
      : guide !== undefined
        ? guideContent(guide)
        : `<p>${t('document.needsScript')} <a href="/">${t('document.published')}</a></p>`
    const document = page.document({
      language,
      direction: languageFacts[language].direction,
      title: escapeHtml(
        guide === undefined
          ? t('document.title', { name: brand.name })
          : `${guide.title} · ${brand.name}`,
      ),
      description: escapeHtml(guide?.description ?? t('document.description')),
      preloads: page
        .preloads(language)
        .map((path) => `<link rel="modulepreload" href="${path}">`)
        .join(''),
      icon: escapeHtml(look.icon),
      accent: accentStyle(look),
      styleNonce: style,
      scriptNonce: script,
      boot: scriptJson({
        carriesSession,
        facts: knownFacts(services, request.raw),
      }),
      noscript: `<style nonce="${style}">${plainStyle}</style><div class="plain">${content}</div>`,
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
}

/** Serves the page at each of its paths, its files, and the reference of every version. */
export function registerPages(app: PortalApp, services: PageServices, sendPage: SendPage): void {
  const { catalogue, gatewayUrl, page, sandbox, mailbox, guides } = services

  app.register(fastifyStatic, {
    root: join(page.folder, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    // The file's name changes with its content.
    immutable: true,
    maxAge: '365d',
    index: false,
    decorateReply: false,
  })

  for (const path of Object.values(pagePaths)) {
    app.get(path, (request, reply) => sendPage(request, reply, statusOf(request)))
  }

  app.get<{ Params: { api: string; version: string } }>(
    '/reference/:api/:version',
    { helmet: referenceHeaders },
    (request, reply) => {
      const { api, version } = request.params
      const published = catalogue().versions.get(versionKey(api, version))
      const path = `${encodeURIComponent(api)}/${encodeURIComponent(version)}`
      // That page reports the unknown version; the headers of this route do not fit it.
      if (published === undefined) return reply.redirect(`/apis/${path}`)
      const name = `${published.title} ${version}`
      const document = `/api/apis/${path}/openapi.json`
      return reply
        .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .send(
          page.reference({
            title: escapeHtml(
              `${name} · Reference · ${brandName(catalogue().brand, languageOf(request.headers))}`,
            ),
            boot: scriptJson({ document, server: `${gatewayUrl()}${published.prefix}` }),
            back: escapeHtml(`/apis/${path}`),
            name: escapeHtml(name),
            document: escapeHtml(document),
          }),
        )
    },
  )

  /** An API that is not published has no page, and neither has a sandbox that is off or a mailbox for others; the page itself says so. */
  function statusOf({ params, routeOptions, raw }: FastifyRequest): 200 | 404 {
    const { api, version, guide } = params as Readonly<Record<string, string | undefined>>
    if (routeOptions.url === pagePaths.apiVersion) {
      return catalogue().versions.has(versionKey(api ?? '', version ?? '')) ? 200 : 404
    }
    if (routeOptions.url === pagePaths.apiDiff) {
      return [...catalogue().versions.values()].some((known) => known.api === api) ? 200 : 404
    }
    if (routeOptions.url === pagePaths.guide) {
      return guides.find(guide ?? '', 'en') === undefined ? 404 : 200
    }
    if (routeOptions.url === pagePaths.mailbox) return mailbox?.isOpenTo(raw) === true ? 200 : 404
    const isOfSandbox =
      routeOptions.url === pagePaths.sandbox || routeOptions.url === pagePaths.sandboxReturn
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
