import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { ISecret } from 'kubernetes-models/v1/Secret'
import type { IService } from 'kubernetes-models/v1/Service'
import type { Test } from 'tap'
import { parse, stringify } from 'yaml'
import { type Manifest, renderKustomization } from './kustomize.ts'

const root = 'deploy/kubernetes'

/** The kinds that tests look into. test/kubernetes/schemas.test.ts checks that objects have these types. */
interface Kinds {
  readonly ConfigMap: IConfigMap
  readonly Deployment: IDeployment
  readonly HTTPRoute: IHTTPRoute
  readonly HorizontalPodAutoscaler: IHorizontalPodAutoscaler
  readonly Job: IJob
  readonly NetworkPolicy: INetworkPolicy
  readonly PodDisruptionBudget: IPodDisruptionBudget
  readonly Secret: ISecret
  readonly Service: IService
  readonly ServiceMonitor: IServiceMonitor
}

/** The objects of one kind. */
export function ofKind<Kind extends keyof Kinds>(
  manifests: readonly Manifest[],
  kind: Kind,
): readonly Kinds[Kind][] {
  // Parse boundary: see Kinds.
  return manifests.filter((one) => one.kind === kind) as unknown as Kinds[Kind][]
}

/** The overlay `ha` as it is, and the one `sandbox`. */
export const overlays = ['ha', 'sandbox'] as const

export function renderOverlay(name: (typeof overlays)[number]): Manifest[] {
  return renderKustomization(`${root}/overlays/${name}`)
}

/** How an overlay differs from the one that docs/kubernetes.md begins with. */
export interface Variant {
  /** Components that are left out, with the patches of their objects. */
  readonly without?: readonly string[]
  /** Components whose lines the page has as comments. */
  readonly with?: readonly string[]
  /** Titles of the sections with lines to add. */
  readonly more?: readonly string[]
}

/** The variants of docs/kubernetes.md, which has every component between them. */
export const variants = {
  'docs/kubernetes.md': {},
  'a bank of your own': {
    without: ['bank', 'routes-bank'],
    with: ['routes-keys', 'plans'],
    more: ['a bank of your own', 'TLS and a token'],
  },
} as const satisfies Readonly<Record<string, Variant>>

const page = readFileSync('docs/kubernetes.md', 'utf8')

/** Folder of the overlay of docs/kubernetes.md, beside a checkout. */
export function documentedOverlay(t: Test, variant: Variant = {}): string {
  const { without = [], with: added = [], more = [] } = variant
  const folder = mkdtempSync(join(tmpdir(), 'tg-overlay-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(resolve('.'), join(folder, 'tollgate'))
  for (const [, file = '', text = ''] of page.matchAll(
    /^```yaml\n# (\S+\/kustomization\.yaml)\n(.*?)^```$/gms,
  )) {
    const chosen = text
      .split('\n')
      .filter((line) => !without.some((part) => line.endsWith(`/components/${part}`)))
      .map((line) =>
        added.some((part) => line.endsWith(`/components/${part}`) || line.includes(`-${part},`))
          ? line.replace('# - ', '- ')
          : line,
      )
      .join('\n')
    const given = parse(chosen, { version: '1.1' }) as Fragment
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    const parts = file.startsWith('production/k') ? more.map(fragment) : []
    const patches = (given.patches ?? []).filter(
      ({ patch }) =>
        !without.some((part) =>
          patch.includes(`kind: HTTPRoute, metadata: { name: tollgate-${part} }`),
        ),
    )
    writeFileSync(
      join(folder, file),
      stringify(joined([{ ...given, patches }, ...parts]), { version: '1.1' }),
    )
  }
  // What the page says to put there.
  const production = join(folder, 'production')
  cpSync('config/plans', production, { recursive: true })
  cpSync('config/plans/default.yaml', join(production, 'premium.yaml'))
  writeFileSync(join(production, 'ca.pem'), 'a certificate')
  return production
}

interface Fragment {
  readonly configMapGenerator?: readonly object[]
  readonly patches?: readonly { readonly patch: string }[]
}

/** The lines of a section to add to the overlay. */
function fragment(title: string): Fragment {
  const start = '```yaml\n# more of production/kustomization.yaml: '
  const [, text] = page.split(`${start}${title}\n`)
  if (text === undefined) throw new Error(`docs/kubernetes.md has no lines for ${title}`)
  return parse(text.slice(0, text.indexOf('```')), { version: '1.1' })
}

function joined([first = {}, ...others]: readonly Fragment[]): Fragment {
  const all = [first, ...others]
  return {
    ...first,
    configMapGenerator: all.flatMap(({ configMapGenerator = [] }) => configMapGenerator),
    patches: all.flatMap(({ patches = [] }) => patches),
  }
}

/** A pod as a Deployment or Job makes it. */
export interface Pod {
  /** Name of the Deployment or Job. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly spec: IPodSpec
  /** Its only container. */
  readonly container: IContainer
  readonly deployment: IDeployment | undefined
}

export function podsOf(manifests: readonly Manifest[]): readonly Pod[] {
  const deployments = ofKind(manifests, 'Deployment')
  return [...deployments, ...ofKind(manifests, 'Job')].map((owner) => {
    const { metadata, spec } = owner.spec?.template ?? {}
    const name = owner.metadata?.name ?? ''
    const [container, ...others] = spec?.containers ?? []
    if (spec === undefined || container === undefined || others.length > 0) {
      throw new Error(`${name} must have one container`)
    }
    const deployment = deployments.find((one) => one === owner)
    return { name, labels: metadata?.labels ?? {}, spec, container, deployment }
  })
}

/** What the Dockerfile sets, and how it starts the program: without its last arguments. */
export const image = readImage()

function readImage() {
  const text = readFileSync('Dockerfile', 'utf8')
  // Outside the image, its PATH leads nowhere.
  const entries = [...text.matchAll(/^(?:ENV)? +(?!PATH=)([A-Z_]+)=(\S+)/gm)]
  const env: Readonly<Record<string, string>> = Object.fromEntries(
    entries.map(([, name = '', value = '']) => [name, value]),
  )
  const [, entry = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(text) ?? []
  // Parse boundary: the exec form is an array of texts.
  return { env, entrypoint: JSON.parse(entry) as readonly string[] }
}

/**
 * The environment of a pod, with the variables of the image.
 *
 * @param at where the pod's mounts are here, by their path in the pod
 */
export function environmentOf(
  { name, container }: Pod,
  manifests: readonly Manifest[],
  at: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const settings = (container.envFrom ?? []).map(({ configMapRef }) => {
    const found = ofKind(manifests, 'ConfigMap').find(
      ({ metadata }) => metadata?.name === configMapRef?.name,
    )
    if (found === undefined) throw new Error(`${name}: there is no ${configMapRef?.name}`)
    return found.data ?? {}
  })
  const own = (container.env ?? []).map(({ name, value = '' }) => [name, value])
  const given: Record<string, string> = Object.assign({}, ...settings, Object.fromEntries(own))
  const moved = Object.entries(given).map(([variable, value]) => {
    const [inside, here] = Object.entries(at).find(([path]) => value.startsWith(`${path}/`)) ?? []
    return [variable, inside === undefined ? value : `${here}${value.slice(inside.length)}`]
  })
  return { ...image.env, ...Object.fromEntries(moved) }
}
