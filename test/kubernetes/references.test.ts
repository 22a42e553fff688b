import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { stopTimes } from '../../src/platform/http/stop-times.ts'
import { createManagement } from '../../src/platform/process/management.ts'
import { checkDeployment } from '../../src/platform/settings/deployment.ts'
import {
  roles as allRoles,
  type Role,
  readSettings,
  type Settings,
  settingGroups,
} from '../../src/platform/settings/settings.ts'
import { type Manifest, readManifests, renderKustomization } from '../support/kustomize.ts'
import {
  documentedOverlay,
  environmentOf,
  image,
  ofKind,
  overlays,
  type Pod,
  podsOf,
  renderOverlay,
  variants,
} from '../support/manifests.ts'
import { selects } from '../support/network-policies.ts'

const variables = new Set(
  settingGroups.flatMap(({ rows }) => Object.values(rows).flatMap(({ names }) => names)),
)
/** Variables that Node reads itself. */
const ofNode = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS']
/** Entries that only some overlays of docs/kubernetes.md read. */
const optionalEntries = ['management-token']
const examples = ofKind(readManifests('deploy/kubernetes/secrets.example.yaml'), 'Secret')

/** What every test looks at, by a name for messages. */
const rendered: readonly (readonly [string, readonly Manifest[]])[] = [
  ...overlays.map((name) => [name, renderOverlay(name)] as const),
  ...Object.entries(variants).map(
    ([name, variant]) => [name, renderKustomization(documentedOverlay(t, variant))] as const,
  ),
]

/** Runs a test on each rendering that has objects of the kind. */
function each(title: string, run: (t: Test, manifests: readonly Manifest[]) => unknown): void {
  for (const [name, manifests] of rendered) {
    t.test(`${title} (${name})`, async (t) => void (await run(t, manifests)))
  }
}

const rolesOf = ({ container }: Pod): ReadonlySet<Role> => {
  const [command, ...named] = container.args ?? []
  if (command !== 'start') return new Set()
  return new Set(named.length === 0 ? allRoles : allRoles.filter((role) => named.includes(role)))
}

/** Secrets of the forms that Tollgate accepts, in the folders of the pod's mounts. */
function mountsIn(folder: string, { name, spec, container }: Pod): Record<string, string> {
  const mounts = (container.volumeMounts ?? []).map(({ name: volume, mountPath }) => {
    const here = join(folder, name, volume)
    mkdirSync(here, { recursive: true })
    const secret = spec.volumes?.find((one) => one.name === volume)?.secret
    for (const { key, path } of secret?.items ?? []) writeFileSync(join(here, path), contentOf(key))
    return [mountPath, here]
  })
  return Object.fromEntries(mounts)
}

function contentOf(key: string): string {
  const given = examples.flatMap(({ stringData = {} }) => stringData[key] ?? [])[0] ?? ''
  return given.includes('://') ? given.replaceAll('…', 'x') : 'x'.repeat(43)
}

function settingsOf(t: Test, pod: Pod, manifests: readonly Manifest[]): Settings {
  return readSettings(environmentOf(pod, manifests, mountsIn(t.testdir(), pod)))
}

each('every variable of a pod is a setting, and its settings suit its roles', (t, manifests) => {
  for (const pod of podsOf(manifests)) {
    const { name, container } = pod
    const given = environmentOf(pod, manifests)
    for (const variable of Object.keys(given)) {
      t.ok(variables.has(variable) || ofNode.includes(variable), `${name}: ${variable}`)
    }
    const settings = settingsOf(t, pod, manifests)
    t.doesNotThrow(() => checkDeployment(settings, rolesOf(pod)), name)
    const [command, ...args] = container.args ?? []
    if (command === 'migrate') t.same(args, ['--grant'], name)
    else {
      t.equal(command, 'start', name)
      for (const role of args) {
        t.ok(
          allRoles.some((one) => one === role),
          `${name}: ${role}`,
        )
      }
    }
    for (const value of Object.values(given)) {
      t.notMatch(value, /:\/\/[^/]*:[^/]*@/, `${name}: no password is in the environment`)
    }
  }
})

each('a file of a secret is an entry that the pod mounts, and the example has', (t, manifests) => {
  for (const pod of podsOf(manifests)) {
    const files = Object.entries(environmentOf(pod, manifests)).filter(([name]) =>
      name.endsWith('_FILE'),
    )
    const mounted = (pod.spec.volumes ?? []).flatMap(({ name: volume, secret }) => {
      const at = pod.container.volumeMounts?.find(({ name }) => name === volume)
      t.ok(at, `${pod.name} mounts ${volume}`)
      if (secret === undefined) return []
      t.notOk(at?.subPath, 'such a file would never change')
      t.equal(secret.defaultMode, 0o440)
      const example = examples.find(({ metadata }) => metadata?.name === secret.secretName)
      return (secret.items ?? []).map(({ key, path }) => {
        const entries = [...Object.keys(example?.stringData ?? {}), ...optionalEntries]
        t.ok(entries.includes(key), `the example has ${key}`)
        return `${at?.mountPath}/${path}`
      })
    })
    t.same(files.map(([, path]) => path).sort(), mounted.sort(), `${pod.name} mounts only these`)
  }
})

t.test('the example has no entry that no pod reads', async (t) => {
  const read = rendered.flatMap(([, manifests]) =>
    podsOf(manifests).flatMap(({ spec }) =>
      (spec.volumes ?? []).flatMap(({ secret }) =>
        (secret?.items ?? []).map(({ key }) => `${secret?.secretName}/${key}`),
      ),
    ),
  )
  for (const { metadata, stringData = {} } of examples) {
    for (const key of Object.keys(stringData)) t.ok(read.includes(`${metadata?.name}/${key}`), key)
  }
})

each(
  'every selector selects pods, and every port of a service is one of theirs',
  (t, manifests) => {
    const pods = podsOf(manifests)
    const chosen = (selector: Parameters<typeof selects>[0] | undefined, what: string) => {
      const found = pods.filter(({ labels }) => selects(selector ?? {}, labels))
      t.ok(found.length > 0, `${what} selects a pod`)
      return found
    }
    for (const { metadata, spec } of ofKind(manifests, 'Service')) {
      const found = chosen({ matchLabels: spec?.selector ?? {} }, `Service ${metadata?.name}`)
      t.equal(found.length, 1, `Service ${metadata?.name}: of one role`)
      for (const { targetPort } of spec?.ports ?? []) {
        const names = found.flatMap(
          ({ container }) => container.ports?.map(({ name }) => name) ?? [],
        )
        t.ok(names.includes(String(targetPort)), `${metadata?.name}: ${targetPort}`)
      }
    }
    for (const { metadata, spec } of ofKind(manifests, 'NetworkPolicy')) {
      chosen(spec?.podSelector, `NetworkPolicy ${metadata?.name}`)
    }
    for (const { metadata, spec } of ofKind(manifests, 'PodDisruptionBudget')) {
      chosen(spec?.selector, `PodDisruptionBudget ${metadata?.name}`)
    }
    for (const { name, spec, labels, deployment } of pods) {
      if (deployment !== undefined) {
        t.same(chosen(deployment.spec?.selector, name).length, 1, `${name} selects its own pods`)
      }
      for (const { labelSelector } of spec.topologySpreadConstraints ?? []) {
        t.ok(selects(labelSelector ?? {}, labels), `${name} spreads its own pods`)
      }
      t.ok(
        manifests.some(
          (one) => one.kind === 'ServiceAccount' && one.metadata.name === spec.serviceAccountName,
        ),
        `${name}: ${spec.serviceAccountName}`,
      )
      for (const { persistentVolumeClaim: claim } of spec.volumes ?? []) {
        if (claim === undefined) continue
        t.ok(
          manifests.some(({ metadata }) => metadata.name === claim.claimName),
          claim.claimName,
        )
      }
    }
  },
)

each('every port of a container is one that its roles listen at', (t, manifests) => {
  for (const pod of podsOf(manifests)) {
    const settings = settingsOf(t, pod, manifests)
    const listeners: Readonly<Record<Role, readonly (keyof Settings)[]>> = {
      gateway: ['gateway'],
      portal: ['portal'],
      backend: ['backend', 'sca'],
    }
    const open = [...rolesOf(pod)].flatMap((role) => listeners[role])
    const ports = new Set([settings.management, ...open.map((name) => settings[name])].map(portOf))
    for (const { name, containerPort } of pod.container.ports ?? []) {
      t.ok(ports.has(containerPort), `${pod.name}: ${name} is ${containerPort}`)
      t.equal(name === 'management', containerPort === settings.management.port)
    }
  }
})

/** The port of a listener. */
function portOf(value: unknown): number {
  // Parse boundary: the settings named above are listeners.
  return (value as { readonly port: number }).port
}

each('every probe asks a path that the management listener answers', async (t, manifests) => {
  const registry = new Registry()
  const management = createManagement({ metrics: registry, probes: [] })
  t.teardown(() => management.close())
  for (const pod of podsOf(manifests)) {
    const { name, container, deployment } = pod
    if (deployment === undefined) continue
    t.equal(settingsOf(t, pod, manifests).management.host, '0.0.0.0', 'probes come from outside')
    const { startupProbe, livenessProbe, readinessProbe } = container
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      const { path = '', port } = probe?.httpGet ?? {}
      t.equal(port, 'management', name)
      t.equal((await management.inject(path)).statusCode, 200, `${name}: ${path}`)
    }
    t.equal(livenessProbe?.httpGet?.path, '/livez', 'a restart would not repair a store')
    t.equal(readinessProbe?.httpGet?.path, '/readyz')
  }
  for (const { spec } of ofKind(manifests, 'ServiceMonitor')) {
    for (const { path = '' } of spec.endpoints) {
      t.equal((await management.inject(path)).statusCode, 200, path)
    }
  }
})

each(
  'a pod has time for its drain and its longest call, and the cluster notices in time',
  (t, manifests) => {
    for (const pod of podsOf(manifests)) {
      if (pod.deployment === undefined) continue
      const { drainSeconds, backendCallMs } = settingsOf(t, pod, manifests)
      const grace = pod.spec.terminationGracePeriodSeconds ?? 0
      t.ok(
        grace * 1_000 > drainSeconds * 1_000 + stopTimes(backendCallMs).closeMs,
        `${pod.name}: ${grace}`,
      )
      // One process without a proxy in front does not drain.
      if (rolesOf(pod).size > 1) continue
      const { periodSeconds = 10, failureThreshold = 3 } = pod.container.readinessProbe ?? {}
      t.ok(periodSeconds * failureThreshold < drainSeconds, pod.name)
    }
  },
)

each(
  'GATEWAY_PROCESSES is the most that serve in a rolling update, while machines are drained',
  (t, manifests) => {
    for (const pod of podsOf(manifests)) {
      if (!rolesOf(pod).has('gateway') || rolesOf(pod).size > 1) continue
      const { spec } = pod.deployment ?? {}
      const scaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(
        (one) => one.spec?.scaleTargetRef.name === pod.name,
      )
      t.equal(scaler?.spec?.scaleTargetRef.kind, 'Deployment')
      t.equal(spec?.replicas, undefined, 'only the autoscaler sets the number')
      t.ok((scaler?.spec?.minReplicas ?? 0) >= 2, 'one may fail')
      const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {}
      const budget = ofKind(manifests, 'PodDisruptionBudget').find(
        (one) =>
          one.spec?.selector?.matchLabels?.['app.kubernetes.io/component'] ===
          pod.labels['app.kubernetes.io/component'],
      )
      const surge = Number(maxSurge)
      // A new pod is ready as the others are, so as many more may be evicted.
      const evicted = Number(budget?.spec?.maxUnavailable) + surge
      const most = (scaler?.spec?.maxReplicas ?? 0) + 2 * surge + evicted
      t.equal(settingsOf(t, pod, manifests).gatewayProcesses, most)
      t.equal(maxUnavailable, 0)
      // Otherwise several pods would drain at a time.
      t.ok((spec?.minReadySeconds ?? 0) >= (pod.spec.terminationGracePeriodSeconds ?? 30))
      const [metric, ...others] = scaler?.spec?.metrics ?? []
      t.same(others, [])
      t.equal(metric?.resource?.name, 'cpu')
      t.ok(pod.container.resources?.requests?.['cpu'], 'utilization is of what a pod requests')
    }
  },
)

each('no pod may do more than it needs', (t, manifests) => {
  for (const { name, spec, container, deployment } of podsOf(manifests)) {
    t.match(
      spec,
      {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
      name,
    )
    t.match(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    t.ok(container.resources?.requests?.['cpu'] && container.resources.limits?.['memory'], name)
    t.equal(container.resources?.requests?.['memory'], container.resources?.limits?.['memory'])
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC'] as const) t.notOk(spec[key], key)
    t.equal(deployment === undefined, spec.restartPolicy === 'Never', name)
  }
})

each('an address in a setting is a service with that port', (t, manifests) => {
  let found = 0
  for (const pod of podsOf(manifests)) {
    for (const [variable, value] of Object.entries(environmentOf(pod, manifests))) {
      for (const [, host = '', port = ''] of value.matchAll(/http:\/\/(tollgate[\w-]*):(\d+)/g)) {
        found++
        const service = ofKind(manifests, 'Service').find(({ metadata }) => metadata?.name === host)
        const ports = service?.spec?.ports?.map((one) => one.port)
        t.ok(ports?.includes(Number(port)), `${variable}: ${host}:${port}`)
      }
    }
  }
  t.equal(found > 0, podsOf(manifests).length > 1)
})

each('routes lead from the public addresses to the services of their roles', (t, manifests) => {
  const [pod] = podsOf(manifests).filter((one) => rolesOf(one).has('portal'))
  if (pod === undefined) throw new Error('there is no portal')
  const { gatewayPublicUrl, portalPublicUrl, scaPublicUrl, backendCallMs } = settingsOf(
    t,
    pod,
    manifests,
  )
  const urls: Readonly<Record<string, string | undefined>> = {
    8080: gatewayPublicUrl,
    8081: portalPublicUrl,
    8083: scaPublicUrl,
  }
  for (const { metadata, spec } of ofKind(manifests, 'HTTPRoute')) {
    for (const { backendRefs = [], matches, timeouts } of spec.rules ?? []) {
      const [{ name, port } = { name: '' }] = backendRefs
      const service = ofKind(manifests, 'Service').find((one) => one.metadata?.name === name)
      t.ok(
        service?.spec?.ports?.some((one) => one.port === port),
        `${metadata?.name}: ${name}:${port}`,
      )
      if (port === 9090) {
        const path = { type: 'Exact', value: '/.well-known/jwks.json' }
        t.same(matches, [{ path }], 'the keys, and nothing else of the management listener')
        continue
      }
      t.same(spec.hostnames, [new URL(urls[String(port)] ?? '').hostname])
      const seconds = Number(/^(\d+)s$/.exec(timeouts?.request ?? '')?.[1])
      t.ok(seconds * 1_000 > stopTimes(backendCallMs).longestCallMs)
    }
  }
})

t.test('Prometheus scrapes each role once, under the job of the rules', async (t) => {
  const [, manifests] = rendered[2] ?? ['', []]
  const [monitor] = ofKind(manifests, 'ServiceMonitor')
  const { selector, endpoints, jobLabel = '' } = monitor?.spec ?? { selector: {}, endpoints: [] }
  const scraped = ofKind(manifests, 'Service').filter(
    ({ metadata, spec }) =>
      selects(selector, metadata?.labels ?? {}) &&
      spec?.ports?.some(({ name }) => endpoints.some(({ port }) => port === name)),
  )
  const names = scraped.map(({ metadata }) => metadata?.name)
  t.same(
    names.sort(),
    ['bank', 'gateway', 'portal'].map((role) => `tollgate-${role}-management`),
  )
  const rules = readFileSync('deploy/prometheus/tollgate.rules.yaml', 'utf8')
  const jobs = new Set([...rules.matchAll(/job="(\w+)"/g)].map(([, job]) => job))
  for (const { metadata } of scraped) t.same([...jobs], [metadata?.labels?.[jobLabel]])
})

t.test('the component with plans begins with those of the image', async (t) => {
  for (const name of readdirSync('config/plans')) {
    t.equal(
      readFileSync(`deploy/kubernetes/components/plans/${name}`, 'utf8'),
      readFileSync(`config/plans/${name}`, 'utf8'),
    )
  }
})

t.test('an overlay with plans has its own alone, and every role reads them', async (t) => {
  const folder = documentedOverlay(t, { ...variants['a bank of your own'] })
  writeFileSync(join(folder, 'default.yaml'), 'mine')
  const manifests = renderKustomization(folder)
  const plans = ofKind(manifests, 'ConfigMap').find(
    ({ metadata }) => metadata?.name === 'tollgate-plans',
  )
  t.same(Object.keys(plans?.data ?? {}), ['default.yaml', 'premium.yaml'])
  t.equal(plans?.data?.['default.yaml'], 'mine')
  for (const pod of podsOf(manifests)) {
    if (pod.deployment === undefined) continue
    const volume = pod.spec.volumes?.find(({ configMap }) => configMap?.name === 'tollgate-plans')
    const mount = pod.container.volumeMounts?.find(({ name }) => name === volume?.name)
    const { configWatch } = settingsOf(t, pod, manifests)
    t.match([mount?.mountPath, configWatch], [`${image.env['CONFIG_DIR']}/plans`, 'on'], pod.name)
  }
})

t.test(
  'an overlay with an authority and a token gives them to every pod, and the token to Prometheus',
  async (t) => {
    const [, manifests] = rendered.at(-1) ?? ['', []]
    const authority = ofKind(manifests, 'ConfigMap').find(({ data }) => data?.['ca.pem'])
    t.equal(authority?.metadata?.labels?.['app.kubernetes.io/component'], 'base', 'before the Job')
    for (const pod of podsOf(manifests)) {
      const volume = pod.spec.volumes?.find(
        ({ configMap }) => configMap?.name === authority?.metadata?.name,
      )
      const mount = pod.container.volumeMounts?.find(({ name }) => name === volume?.name)
      const variables = environmentOf(pod, manifests)
      t.equal(variables['NODE_EXTRA_CA_CERTS'], `${mount?.mountPath}/ca.pem`, pod.name)
      t.equal('MANAGEMENT_TOKEN_FILE' in variables, pod.deployment !== undefined, pod.name)
    }
    const [monitor] = ofKind(manifests, 'ServiceMonitor')
    t.match(monitor?.spec.endpoints[0]?.authorization?.credentials, {
      name: 'tollgate-secrets',
      key: 'management-token',
    })
  },
)

t.test('the secrets of a secret store are applied before the Job', async (t) => {
  for (const { metadata } of examples) {
    t.equal(metadata?.labels?.['app.kubernetes.io/component'], 'base', metadata?.name ?? '')
  }
})
