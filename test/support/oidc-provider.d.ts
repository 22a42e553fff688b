// The package has no types; this declares what `openid-provider.ts` uses.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export interface ProviderContext {
    oidc?: { route: string }
    body: { id_token?: string } | undefined
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    use(middleware: (ctx: ProviderContext, next: () => Promise<void>) => Promise<void>): void
  }
}
