// This folder is the portal's JSON API. `routes/` has the routes and `schemas/` what they take and answer; the files
// here are what several routes share. Read this file first: it says what a route declares. `strict-input.ts` and
// `answer-serializer.ts` hold requests and answers to their schemas, `openapi.ts` describes all routes,
// `refusal-of.ts` translates errors into refusals, and `answers.ts` turns rows into answers. The stores do not know
// this API.

import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../platform/http/errors.ts'

/** The role that may call a route; decided by the scope it is registered in. */
export type Access = 'anyone' | 'session' | 'operator'

declare module 'fastify' {
  /** What the API's own document contains about a route in addition to its bodies and answers. */
  interface FastifySchema {
    /** Unique, camelCase: `issueKey`. */
    operationId?: string
    /** One line, without a full stop. */
    summary?: string
    /** Errors it may answer with, in addition to those that follow from its parts. */
    problems?: readonly ErrorCode[]
  }
  interface FastifyContextConfig {
    /** (Default: anyone) */
    access?: Access
    /**
     * Whether the developer must have recently proved their identity: always, or, in
     * a route whose body has the password, only with a second factor.
     * (Default: never)
     */
    needsProof?: 'always' | 'with-factor'
    /** Whether the developer needs a second factor, where every developer does. (Default: false) */
    needsFactor?: boolean
  }
}

/** The groups of the API's document. */
export const apiTags = {
  Catalogue: 'The published APIs and the guides. No session needed.',
  Account: 'Sign-up, sign-in and your profile.',
  Applications: 'Your applications, which call the gateway.',
  Subscriptions: 'Which API versions an application may call, and under which plan.',
  Certificates: 'Certificates with which an application connects or signs.',
  Alerts: 'What your applications are warned of, by email and webhook.',
  Keys: 'API keys identify an application. The portal shows a key once, when you create it.',
  Usage: 'Calls left, calls made and why calls were refused.',
  Sandbox: 'Fictional bank customers to test with, if the operator offers them.',
  Portal: 'The state of the portal itself.',
  Operator: 'For operators only.',
} as const
type ApiTag = keyof typeof apiTags

/** The first match names the group; the rest is about the account. */
const groups: readonly (readonly [path: RegExp, tag: ApiTag])[] = [
  [/^\/api\/operator\//, 'Operator'],
  [/\/sandbox/, 'Sandbox'],
  [/\/keys/, 'Keys'],
  [/\/certificates/, 'Certificates'],
  [/\/subscriptions/, 'Subscriptions'],
  [/\/(?:usage|calls)/, 'Usage'],
  [/\/(?:alerts|webhook)/, 'Alerts'],
  [/^\/api\/applications/, 'Applications'],
  [/^\/api\/(?:apis|guides|search-index)/, 'Catalogue'],
  [/^\/api\/(?:portal|gateway|mailbox|openapi)/, 'Portal'],
]

/** The group of a route in the document, by its path. */
export function tagOf(path: string): ApiTag {
  return groups.find(([pattern]) => pattern.test(path))?.[1] ?? 'Account'
}

/** Notes on every route registered in this scope from now on who may ask for it, for the API's document. */
export function noteAccess(scope: Pick<FastifyInstance, 'addHook'>, access: Access): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access }
  })
}

/** Notes on every route registered in this scope from now on that a change needs a proof. */
export function noteProof(scope: Pick<FastifyInstance, 'addHook'>): void {
  scope.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.config = { ...route.config, needsProof: 'always' }
  })
}

/** Notes on every route registered in this scope from now on that it needs a second factor, where every developer does. */
export function noteFactor(scope: Pick<FastifyInstance, 'addHook'>): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, needsFactor: true }
  })
}

/** Gives the answers of a scope the status that their route's schema describes, so that no handler repeats it. */
export function answerAsDescribed(scope: Pick<FastifyInstance, 'addHook'>): void {
  scope.addHook('preHandler', async ({ routeOptions }, reply) => {
    const [status] = Object.keys(routeOptions.schema?.response ?? {})
    if (status !== undefined) reply.code(Number(status))
  })
}
