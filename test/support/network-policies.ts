import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer'
import type { INetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPort'
import { createNetworks } from '../../src/platform/http/networks.ts'
import type { Manifest } from './kustomize.ts'
import { ofKind, type Pod } from './manifests.ts'

type Labels = Readonly<Record<string, string>>

/** Where a connection begins or ends: a pod of ours, a pod of another namespace, or an address outside. */
export type End =
  | { readonly pod: Pod }
  | { readonly namespace: string; readonly labels?: Labels }
  | { readonly address: string }

/**
 * Whether the policies let a connection through: the policies of the pod where
 * it begins, and those of the pod where it ends. A pod that no policy selects is
 * open, as in Kubernetes.
 *
 * @param port a number, over TCP
 */
export function isLetThrough(
  manifests: readonly Manifest[],
  from: End,
  to: End,
  port: number,
): boolean {
  return (
    (!('pod' in from) || allows(manifests, 'Egress', from.pod, to, port)) &&
    (!('pod' in to) || allows(manifests, 'Ingress', to.pod, from, port))
  )
}

function allows(
  manifests: readonly Manifest[],
  direction: 'Ingress' | 'Egress',
  of: Pod,
  peer: End,
  port: number,
): boolean {
  const policies = ofKind(manifests, 'NetworkPolicy')
    .flatMap(({ spec }) => spec ?? [])
    .filter(({ policyTypes = [] }) => policyTypes.includes(direction))
    .filter(({ podSelector }) => selects(podSelector ?? {}, of.labels))
  if (policies.length === 0) return true
  const ports = direction === 'Ingress' ? of : 'pod' in peer ? peer.pod : undefined
  return policies.some(({ ingress = [], egress = [] }) => {
    const rules =
      direction === 'Ingress'
        ? ingress.map(({ from, ports }) => ({ peers: from, ports }))
        : egress.map(({ to, ports }) => ({ peers: to, ports }))
    return rules.some(
      (rule) =>
        (rule.peers ?? []).some((one) => isPeer(one, peer, of)) &&
        (rule.ports ?? []).some((one) => isPort(one, port, ports)),
    )
  })
}

function isPeer(
  { ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer,
  end: End,
  of: Pod,
): boolean {
  if ('address' in end) {
    if (ipBlock === undefined) return false
    const { cidr, except = [] } = ipBlock
    const isIn = (networks: string[]): boolean => createNetworks(networks)(end.address)
    return isIn([cidr]) && !isIn([...except])
  }
  // A pod's address may lie in a block, but which it has is not ours to know.
  if (ipBlock !== undefined) return false
  const [namespace, labels] =
    'pod' in end ? [undefined, end.pod.labels] : [end.namespace, end.labels ?? {}]
  const isOurs = namespaceSelector === undefined
  if (isOurs !== (namespace === undefined)) return false
  if (
    namespaceSelector !== undefined &&
    !selects(namespaceSelector, { 'kubernetes.io/metadata.name': namespace ?? '' })
  ) {
    return false
  }
  if (podSelector === undefined && isOurs)
    throw new Error(`${of.name}: a peer that selects nothing`)
  return podSelector === undefined || selects(podSelector, labels)
}

function isPort({ protocol = 'TCP', port }: INetworkPolicyPort, wanted: number, of?: Pod): boolean {
  if (protocol !== 'TCP') return false
  if (typeof port !== 'string') return port === wanted
  return (of?.container.ports ?? []).some(
    ({ name, containerPort }) => name === port && containerPort === wanted,
  )
}

interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

/** @throws for operators other than In, which deploy/kubernetes does not use */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Labels,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not supported here`)
      return values.includes(labels[key] ?? '')
    })
  )
}
