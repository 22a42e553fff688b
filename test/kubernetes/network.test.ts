import t from 'tap'
import { type Manifest, renderKustomization } from '../support/kustomize.ts'
import { documentedOverlay, podsOf, renderOverlay, variants } from '../support/manifests.ts'
import { type End, isLetThrough } from '../support/network-policies.ts'

const ports = [53, 80, 443, 465, 587, 5432, 6379, 8080, 8081, 8082, 8083, 9090, 10250]

/** Every connection to or from a pod that the policies let through. */
function connections(manifests: readonly Manifest[]): readonly string[] {
  const pods = podsOf(manifests).map((pod): readonly [string, End] => [
    pod.name.replace('tollgate-', ''),
    { pod },
  ])
  const others: readonly (readonly [string, End])[] = [
    ['ingress', { namespace: 'ingress' }],
    ['monitoring', { namespace: 'monitoring' }],
    ['elsewhere', { namespace: 'default', labels: { 'app.kubernetes.io/component': 'gateway' } }],
    ['postgresql', { address: '10.0.20.5' }],
    ['redis', { address: '10.0.21.5' }],
    ['mail', { address: '10.0.22.5' }],
    ['own bank', { address: '10.0.23.5' }],
    ['neighbour', { address: '10.0.20.7' }],
    ['metadata', { address: '169.254.169.254' }],
    ['internet', { address: '203.0.113.7' }],
  ]
  const found = [...pods, ...others].flatMap(([from, start]) =>
    [...pods, ...others].flatMap(([to, end]) => {
      // The policies of other namespaces are not ours.
      if (!('pod' in start) && !('pod' in end)) return []
      return ports
        .filter((port) => isLetThrough(manifests, start, end, port))
        .map((port) => `${from} → ${to}:${port}`)
    }),
  )
  return found.sort()
}

const withoutBank = [
  'gateway → postgresql:5432',
  'gateway → redis:6379',
  'ingress → gateway:8080',
  'ingress → portal:8081',
  'migrate → postgresql:5432',
  'monitoring → gateway:9090',
  'monitoring → portal:9090',
  'portal → gateway:8080',
  'portal → internet:443',
  'portal → mail:465',
  'portal → postgresql:5432',
  'portal → redis:6379',
]

t.test('the policies let through what each role needs, and nothing else', async (t) => {
  t.same(
    connections(renderKustomization(documentedOverlay(t))),
    [
      'bank → gateway:9090',
      'bank → postgresql:5432',
      'gateway → bank:8082',
      'ingress → bank:8083',
      'monitoring → bank:9090',
      'portal → bank:8082',
      ...withoutBank,
    ].sort(),
  )
})

t.test("a bank of one's own fetches the keys through the ingress controller", async (t) => {
  const manifests = renderKustomization(documentedOverlay(t, variants['a bank of your own']))
  t.same(
    connections(manifests),
    ['gateway → own bank:443', 'ingress → gateway:9090', ...withoutBank].sort(),
  )
})

t.test('every pod asks DNS, and the sandbox reaches and is reached by nothing else', async (t) => {
  const dns: End = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }
  for (const overlay of ['ha', 'sandbox'] as const) {
    const manifests = renderOverlay(overlay)
    for (const pod of podsOf(manifests)) {
      t.ok(isLetThrough(manifests, { pod }, dns, 53), pod.name)
      t.notOk(isLetThrough(manifests, { pod }, { namespace: 'kube-system' }, 53), 'only to it')
    }
  }
  const manifests = renderOverlay('sandbox')
  for (const pod of podsOf(manifests)) {
    for (const port of ports) {
      for (const other of [{ namespace: 'ingress' }, { address: '203.0.113.7' }]) {
        t.notOk(isLetThrough(manifests, { pod }, other, port))
        t.notOk(isLetThrough(manifests, other, { pod }, port))
      }
    }
  }
})

t.test(
  'a pod without our labels reaches nothing from the namespace, and nothing reaches it',
  async (t) => {
    for (const overlay of ['ha', 'sandbox'] as const) {
      const manifests = renderOverlay(overlay)
      const pods = podsOf(manifests)
      const [first] = pods
      if (first === undefined) throw new Error('there is no pod')
      const stranger: End = { pod: { ...first, name: 'stranger', labels: {} } }
      const others: readonly End[] = [
        ...pods.map((pod) => ({ pod })),
        { namespace: 'ingress' },
        { address: '10.0.20.5' },
        { address: '203.0.113.7' },
      ]
      const found = others.flatMap((other) =>
        ports.filter(
          (port) =>
            isLetThrough(manifests, stranger, other, port) ||
            isLetThrough(manifests, other, stranger, port),
        ),
      )
      t.same(found, [], overlay)
    }
  },
)
