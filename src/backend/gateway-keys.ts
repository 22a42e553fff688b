import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Logger } from '../platform/log/log.ts'

/** The public keys with which gateways sign identities. */
export interface GatewayKeys {
  /**
   * Finds a key by its `kid`. Fetches the keys again for an unknown one.
   *
   * @throws {errors.JWKSNoMatchingKey} when all sources answered without the key;
   *   any other error leaves open whether the key exists
   */
  readonly key: JWTVerifyGetKey
  /** Whether at least one key is available. */
  isReady(): boolean
  /** Stops fetching. */
  close(): Promise<void>
}

export interface GatewayKeysOptions {
  /** Where gateways publish their keys (RFC 7517). */
  readonly urls: readonly string[]
  readonly metricsRegistry: Registry
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Interval between two fetches. (Default: a minute, for which gateways let their keys be cached) */
  readonly everyMs?: number
  /** The least time between two fetches for unknown keys. (Default: 1000) */
  readonly floorMs?: number
}

/** How long the keys of a source that does not answer stay valid. */
const keptMs = 12 * 3_600_000
const fetchMs = 2_000
/** Interval until the first key arrives. */
const withoutKeysMs = 1_000

interface Source {
  readonly url: string
  /** In metrics and log lines. */
  readonly name: string
  keys: readonly JWK[]
  /** Monotonic milliseconds of the last answer; undefined: it has not answered yet. */
  answeredAt: number | undefined
  /** Whether its last fetch failed. */
  isAway: boolean
}

/**
 * Fetches the keys of all sources regularly, so that a key arrives before it
 * signs. Accepts the keys of every source. The keys of an unreachable source stay
 * valid: calls succeed while a gateway restarts, or cannot be reached for hours.
 * The next answer of a source removes a key that it has withdrawn.
 */
export function createGatewayKeys(options: GatewayKeysOptions): GatewayKeys {
  const { urls, log, monotonic, everyMs = 60_000, floorMs = 1_000 } = options
  const startedAt = monotonic()
  const sources: readonly Source[] = urls.map((url) => ({
    url,
    name: new URL(url).host,
    keys: [],
    answeredAt: undefined,
    isAway: false,
  }))
  const fetches = createMetrics(options.metricsRegistry, () =>
    sources.map(({ name, answeredAt }) => ({
      name,
      ageMs: monotonic() - (answeredAt ?? startedAt),
    })),
  )
  for (const { name } of sources) {
    for (const result of ['success', 'failure']) fetches.inc({ source: name, result }, 0)
  }
  let known = new Map<string, JWK>()
  let find: JWTVerifyGetKey = createLocalJWKSet({ keys: [] })
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function ask(source: Source): Promise<void> {
    try {
      source.keys = await fetchKeys(source.url)
      source.answeredAt = monotonic()
      fetches.inc({ source: source.name, result: 'success' })
      if (source.isAway) log.info({ source: source.name }, "a gateway's public keys arrive again")
      source.isAway = false
    } catch (err) {
      fetches.inc({ source: source.name, result: 'failure' })
      if (!source.isAway && !isClosed) {
        const keys = source.keys.length
        log.warn(
          { source: source.name, keys, err },
          "a gateway's public keys cannot be fetched, those known from it stay valid for 12 hours",
        )
      }
      source.isAway = true
    }
  }

  function merge(): void {
    const at = monotonic()
    const merged = new Map<string, JWK>()
    for (const { keys, answeredAt } of sources) {
      if (at - (answeredAt ?? Number.NEGATIVE_INFINITY) > keptMs) continue
      for (const key of keys) merged.set(key.kid ?? '', key)
    }
    const [before, after] = [known, merged].map((keys) => JSON.stringify([...keys].toSorted()))
    if (before === after) return
    known = merged
    find = createLocalJWKSet({ keys: [...known.values()] })
    if (known.size > 0) log.info({ kids: [...known.keys()] }, 'the public keys of gateways changed')
    else log.warn({}, 'no public key of a gateway is known, so every call gets 503')
  }

  async function fetchAll(): Promise<void> {
    fetchedAt = monotonic()
    await Promise.all(sources.map(ask))
    merge()
  }

  /** Simultaneous callers share a fetch. It begins after the floor, so that made-up keys cost little. */
  function refresh(): Promise<void> {
    fetching ??= waited(Math.max(0, floorMs - (monotonic() - fetchedAt)))
      .then(fetchAll)
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  function again(): void {
    if (isClosed) return
    timer = setTimeout(
      () => void refresh().then(again),
      known.size === 0 ? withoutKeysMs : everyMs,
    ).unref()
  }

  void refresh().then(again)
  return {
    async key(header, token) {
      if (header?.kid === undefined || !known.has(header.kid)) {
        await refresh()
        const isSure = sources.every(({ isAway }) => !isAway)
        if (!isSure && !known.has(header?.kid ?? '')) {
          throw new Error('a source of public keys is away, and the others lack the key')
        }
      }
      return find(header, token)
    },
    isReady: () => known.size > 0,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await fetching
    },
  }
}

function waited(ms: number): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
}

/** Keeps only keys of the kind that gateways sign with, and only those with a `kid`. */
async function fetchKeys(url: string): Promise<readonly JWK[]> {
  const response = await fetch(url, { signal: AbortSignal.timeout(fetchMs), redirect: 'error' })
  const body: unknown = response.ok ? await response.json() : undefined
  await response.body?.cancel().catch(() => undefined)
  if (!hasKeys(body)) throw new Error(`the source answered ${response.status} without keys`)
  return body.keys.filter(({ kty, crv, kid }) => kty === 'OKP' && crv === 'Ed25519' && kid)
}

function hasKeys(body: unknown): body is { keys: readonly JWK[] } {
  if (typeof body !== 'object' || body === null || !('keys' in body)) return false
  const { keys } = body
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
}

function createMetrics(
  registry: Registry,
  ages: () => readonly { readonly name: string; readonly ageMs: number }[],
) {
  const registers = [registry]
  new Gauge({
    name: 'bank_gateway_keys_age_seconds',
    help: "Seconds since a source of the gateways' public keys has answered",
    labelNames: ['source'],
    registers,
    collect() {
      for (const { name, ageMs } of ages()) this.set({ source: name }, ageMs / 1000)
    },
  })
  return new Counter({
    name: 'bank_gateway_key_fetches_total',
    help: "Fetches of the gateways' public keys, by source and result",
    labelNames: ['source', 'result'],
    registers,
  })
}
