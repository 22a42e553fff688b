import type {
  ApiVersion,
  Catalogue,
  Lifecycle,
  Limit,
  Method,
} from '../../../catalogue/catalogue.ts'

/** `GET /api/apis`: what is published, for anybody. */
export interface PublishedApis {
  readonly items: readonly PublishedApi[]
}

export interface PublishedApi {
  readonly api: string
  readonly title: string
  readonly versions: readonly PublishedVersion[]
}

export interface PublishedVersion {
  readonly version: string
  readonly lifecycle: Lifecycle
  readonly operations: readonly {
    readonly id: string
    readonly method: Method
    readonly path: string
    readonly summary: string
  }[]
  readonly plans: readonly {
    readonly name: string
    readonly title: string
    readonly limits: readonly Limit[]
  }[]
}

/** Lists the catalogue as developers see it: APIs by name, versions oldest first. */
export function publishedApis(catalogue: Catalogue): PublishedApis {
  const apis = new Map<string, ApiVersion[]>()
  for (const version of catalogue.versions.values()) {
    apis.set(version.api, [...(apis.get(version.api) ?? []), version])
  }
  const items = [...apis].map(([api, versions]) => ({
    api,
    title: versions.at(-1)?.title ?? api,
    versions: versions.map((version) => publishedVersion(catalogue, version)),
  }))
  return { items }
}

function publishedVersion(catalogue: Catalogue, published: ApiVersion): PublishedVersion {
  return {
    version: published.version,
    lifecycle: published.lifecycle,
    operations: published.operations.map(({ id, method, path, summary }) => ({
      id,
      method,
      path,
      summary,
    })),
    plans: published.plans.flatMap((name) => {
      const plan = catalogue.plans.get(name)
      return plan === undefined ? [] : [{ name, title: plan.title, limits: plan.limits }]
    }),
  }
}
