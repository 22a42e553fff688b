import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** The overlay that docs/kubernetes.md writes on top of `ha`, in a folder beside a checkout, with every component. */
export function documentedOverlay(t: Test): string {
  const page = readFileSync('docs/kubernetes.md', 'utf8')
  const files = [...page.matchAll(/^```yaml\n# (\S+\/kustomization\.yaml)\n(.*?)^```$/gms)]
  if (files.length === 0) throw new Error('docs/kubernetes.md has no kustomization.yaml')
  const folder = t.testdir()
  symlinkSync(resolve('.'), join(folder, 'tollgate'))
  for (const [, file = '', text = ''] of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return join(folder, 'production')
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
