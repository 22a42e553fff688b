import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../platform/errors.ts'

/** Who may ask for a route; decided by the scope it is registered in. */
export type Access = 'anyone' | 'session' | 'operator'

declare module 'fastify' {
  /** What the API's own document says of a route besides its bodies and answers. */
  interface FastifySchema {
    /** Unique, camelCase: `issueKey`. */
    operationId?: string
    /** One line, without a full stop. */
    summary?: string
    /** Group in the document; see `apiTags`. */
    tag?: ApiTag
    /** Errors it may answer with, besides those that follow from its parts. */
    problems?: readonly ErrorCode[]
  }
  interface FastifyContextConfig {
    /** (Default: anyone) */
    access?: Access
  }
}

/** The groups of the API's document. */
export const apiTags = {
  Catalogue: 'The published APIs. No session needed.',
  Account: 'Sign-up, sign-in and your profile.',
  Applications: 'Your applications, which call the gateway.',
  Subscriptions: 'Which API versions an application may call, and under which plan.',
  Keys: 'API keys identify an application. The portal shows a key once, when you create it.',
  Usage: 'Calls left, calls made and why calls were refused.',
  Sandbox: 'Fictional bank customers to test with, if the operator offers them.',
  Portal: 'The state of the portal itself.',
  Operator: 'For operators only.',
} as const
export type ApiTag = keyof typeof apiTags

/** Notes on every route registered in this scope from now on who may ask for it, for the API's document. */
export function noteAccess(scope: Pick<FastifyInstance, 'addHook'>, access: Access): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access }
  })
}
