import { callCount } from './call-count.ts'
import { type ApiVersion, type Catalogue, type Limit, type Plan, versionKey } from './catalogue.ts'
import { isRetired, isSunset } from './lifecycle.ts'
import { shapeOf } from './path-template.ts'
import { compareVersions } from './version-label.ts'

export interface TrapsOptions {
  readonly catalogue: Catalogue
  /** Gateway processes that share the counters. */
  readonly gatewayProcesses: number
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Sentences about what is valid but probably a mistake, in the order of the files. Empty: nothing is. */
export function configurationTraps(options: TrapsOptions): readonly string[] {
  const { catalogue } = options
  return [
    ...[...catalogue.versions.values()].flatMap((version) => [
      ...lifecycleTraps(version, options),
      ...titleTraps(version, catalogue),
      ...backendTraps(version, catalogue),
    ]),
    ...[...catalogue.plans.values()].flatMap((plan) => limitTraps(plan, options)),
  ]
}

function lifecycleTraps(
  { api, version, lifecycle }: ApiVersion,
  { catalogue, nowMs }: TrapsOptions,
): readonly string[] {
  const { sunset, retired, successor } = lifecycle
  const name = versionKey(api, version)
  const traps: string[] = []
  if (successor !== undefined) {
    const next = catalogue.versions.get(versionKey(api, successor))
    const fault = next && successorFault(next, version, nowMs)
    if (fault !== undefined) traps.push(`${name} names ${successor} as its successor, ${fault}.`)
  }
  if (isSunset(lifecycle, nowMs) && retired === undefined) {
    traps.push(
      `the sunset of ${name} passed on ${sunset}, and its calls still work: set retired, or a later sunset.`,
    )
  }
  if (retired !== undefined && sunset === undefined && !isRetired(lifecycle, nowMs)) {
    traps.push(`${name} retires on ${retired}, and no sunset announces it in its responses.`)
  }
  return traps
}

function successorFault(
  { lifecycle }: ApiVersion,
  predecessor: string,
  nowMs: number,
): string | undefined {
  if (isRetired(lifecycle, nowMs)) return `which is retired since ${lifecycle.retired}`
  if (lifecycle.retired !== undefined) return `which retires on ${lifecycle.retired}`
  if (isSunset(lifecycle, nowMs)) return `whose own sunset passed on ${lifecycle.sunset}`
  if (lifecycle.sunset !== undefined) return `which has a sunset itself, ${lifecycle.sunset}`
  return lifecycle.successor === predecessor ? 'which names it as successor in turn' : undefined
}

/** What a developer could not distinguish. Names each pair once. */
function titleTraps(version: ApiVersion, { versions, plans }: Catalogue): readonly string[] {
  const { api, title } = version
  const sameTitle = [...versions.values()].find((other) => other.api < api && other.title === title)
  const offered = version.plans.flatMap((name) => plans.get(name) ?? [])
  const name = versionKey(api, version.version)
  return [
    ...(sameTitle === undefined
      ? []
      : [`${name} has the title of ${versionKey(sameTitle.api, sameTitle.version)}, “${title}”.`]),
    ...offered.flatMap((plan, at) =>
      offered
        .slice(0, at)
        .filter((other) => other.title === plan.title)
        .map(
          (other) =>
            `${name} is in two plans with the title “${plan.title}”: ${other.name} and ${plan.name}.`,
        ),
    ),
  ]
}

/** Versions of one API that a backend could not tell apart: what one limit counts, the other does not. */
function backendTraps(version: ApiVersion, { versions }: Catalogue): readonly string[] {
  const { api, backend, basePath, operations } = version
  const own = new Set(operations.map(requestOf))
  return [...versions.values()].flatMap((other) => {
    if (other === version || other.api !== api) return []
    if (compareVersions(other.version, version.version) >= 0) return []
    if (other.backend !== backend || other.basePath !== basePath) return []
    const shared = other.operations.find((operation) => own.has(requestOf(operation)))
    if (shared === undefined) return []
    const names = `${versionKey(api, other.version)} and ${versionKey(api, version.version)}`
    return `${names} are the same at their backend, for example ${shared.method} ${basePath}${shared.template}: give each a backend path in x-tollgate, or publish one.`
  })
}

function requestOf({ method, segments }: ApiVersion['operations'][number]): string {
  return `${method} ${segments.map(shapeOf).join('/')}`
}

function limitTraps(
  { name, limits, onStoreOutage }: Plan,
  { gatewayProcesses }: TrapsOptions,
): readonly string[] {
  return limits.flatMap((limit) => {
    const subject = `limit ${limit.name} of plan ${name}`
    const stronger = limits.find((other) => other !== limit && decides(other, limit, limits))
    return [
      ...(onStoreOutage === 'local-share' && limit.calls < gatewayProcesses
        ? [
            `${subject} allows ${callCount(limit.calls)}, fewer than GATEWAY_PROCESSES (${gatewayProcesses}): while Redis is away, some processes admit no call.`,
          ]
        : []),
      ...(stronger === undefined
        ? []
        : [`${subject} never decides, because ${stronger.name} refuses the same calls first.`]),
    ]
  })
}

/** Whether a limit is used up whenever another one is. Of two equal ones, the first decides. */
function decides(limit: Limit, other: Limit, limits: readonly Limit[]): boolean {
  if (limit.windowLength !== other.windowLength) return false
  if (limit.scope === 'operation' && other.scope === 'plan') return false
  const isEqual = limit.calls === other.calls && limit.scope === other.scope
  return isEqual ? limits.indexOf(limit) < limits.indexOf(other) : limit.calls <= other.calls
}
