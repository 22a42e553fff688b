import { type ApiVersion, type Catalogue, versionKey } from '../../../catalogue/catalogue.ts'
import type { PoolLoad } from '../../../platform/process/pool-load.ts'
import { type BackendUrls, backendUrlOf } from '../../../platform/settings/sandbox.ts'
import type { Pool } from '../../upstream/pool.ts'
import type { ExchangeOptions } from './exchange.ts'
import type { OperationUses } from './operation-uses.ts'
import type { RequestHeadParts } from './request-head.ts'

/** One backend: its connections, and who may have them. */
export interface Backend {
  readonly head: RequestHeadParts
  /** The path of its URL; undefined without one: then each version has its own. */
  readonly basePath: string | undefined
  readonly pool: Pool
  readonly uses: OperationUses
  readonly exchanges: ExchangeOptions
}

/** The settings of the same names, and the sandbox bank, to which the versions without a backend go. */
export interface BackendAddresses extends BackendUrls {
  readonly bankUrl: string
}

export interface BackendsOptions extends BackendAddresses {
  /** @param isBank whether it is the bank in this process */
  readonly open: (url: string, isBank: boolean) => Backend
  readonly catalogue: () => Catalogue
}

/** The backends of all versions. */
export interface Backends {
  of(version: ApiVersion): Backend
  /** By API, by `<api>@<version>` for what a document names, and as `*` for the rest. */
  load(): ReadonlyMap<string, PoolLoad>
  /** Closes connections that nothing needs any more. Called periodically. */
  tidy(): void
  close(): Promise<void>
}

/** A backend that a document names. */
interface Named {
  /** `<api>@<version>`. */
  readonly key: string
  readonly url: string
  readonly backend: Backend
}

/**
 * Opens a backend for each API of the settings and for each version whose
 * document names one, even if two are the same machine: a slow one holds up no
 * other.
 */
export function createBackends(options: BackendsOptions): Backends {
  const { open, catalogue } = options
  const { backendUrl, bankUrl } = options
  const ofRest = open(backendUrl ?? bankUrl, backendUrl === undefined)
  const ofApis = new Map([...options.backendUrls].map(([api, url]) => [api, open(url, false)]))
  /** By version and URL: calls that began before a reload still use the former one. */
  const ofVersions = new Map<string, Named>()

  function named(key: string, url: string): Backend {
    const name = `${key} ${url}`
    const known = ofVersions.get(name)
    if (known !== undefined) return known.backend
    const made = { key, url, backend: open(url, false) }
    ofVersions.set(name, made)
    return made.backend
  }

  function entries(): [name: string, Backend][] {
    const versions = [...ofVersions.values()].map(({ key, backend }): [string, Backend] => [
      key,
      backend,
    ])
    return [['*', ofRest], ...ofApis, ...versions]
  }

  return {
    of(version) {
      const { api, version: label } = version
      const ofApi = ofApis.get(api)
      if (ofApi !== undefined) return ofApi
      const url = backendUrlOf(options, version)
      return url === undefined || url === backendUrl ? ofRest : named(versionKey(api, label), url)
    },
    load: () => new Map(entries().map(([name, { pool }]) => [name, pool.load()])),
    tidy() {
      for (const [, { pool }] of entries()) pool.tidy()
      const { versions } = catalogue()
      for (const [name, { key, url, backend }] of ofVersions) {
        if (versions.get(key)?.backend === url) continue
        const { busy, idle, waiting } = backend.pool.load()
        if (busy + idle + waiting > 0) continue
        ofVersions.delete(name)
        void backend.pool.close()
      }
    },
    async close() {
      await Promise.all(entries().map(([, { pool }]) => pool.close()))
    },
  }
}
