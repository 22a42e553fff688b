import { readdirSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>
        readonly 'timeout-minutes'?: number
        readonly needs?: string | readonly string[]
        readonly environment?: string
        readonly container?: string | { readonly image: string; readonly options?: string }
        readonly steps: readonly Step[]
      }
    >
  >
}

const folder = '.github/workflows'
const texts = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
)
const workflows = new Map<string, Workflow>(
  [...texts].map(([name, text]) => [name, parse(text, { strict: true, uniqueKeys: true })]),
)
const jobs = [...workflows].flatMap(([name, { jobs }]) =>
  Object.entries(jobs).map(([job, value]) => ({ ...value, name: `${name} ${job}` })),
)
const steps = jobs.flatMap(({ name, steps }) => steps.map((step) => ({ ...step, job: name })))

/** Actions that we trust, at a commit; a tag could be moved. */
const trusted = new Set([
  'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2',
  'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2',
  'actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0',
  'actions/attest-build-provenance@e8998f949152b193b063cb0ec769d69d929409be # v2.4.0',
  'sigstore/cosign-installer@398d4b0eeef1380460a10c8013a76f728fb906ac # v3.9.1',
])

/** What each job may do: to read the code, unless it publishes. */
const permitted: Readonly<Record<string, readonly string[]>> = {
  'ci.yaml test': ['contents: read'],
  'ci.yaml kubernetes': ['contents: read'],
  'ci.yaml image': ['contents: read'],
  'release.yaml package': ['contents: read'],
  'release.yaml image': [
    'contents: read',
    'packages: write',
    'id-token: write',
    'attestations: write',
  ],
  'release.yaml publish': ['contents: write', 'id-token: write', 'attestations: write'],
}

t.test('workflows use only actions that we trust, each at a commit', async (t) => {
  let seen = 0
  for (const [name, text] of texts) {
    for (const [, action = ''] of text.matchAll(/\buses: *(.*)$/gm)) {
      seen += 1
      t.ok(trusted.has(action), `${name}: ${action}`)
    }
  }
  t.equal(seen, steps.filter(({ uses }) => uses !== undefined).length)
  for (const action of trusted) t.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

t.test(
  'a job has the permissions that it needs, and code from outside has none to write',
  async (t) => {
    for (const [name, { permissions, on }] of workflows) {
      t.same(permissions, {}, `${name} gives nothing by default`)
      t.notOk('pull_request_target' in on || 'workflow_run' in on, name)
      if (name !== 'release.yaml') t.notMatch(texts.get(name), /: write|secrets\./, name)
    }
    t.same(
      Object.fromEntries(
        jobs.map(({ name, permissions = {} }) => [
          name,
          Object.entries(permissions).map(([scope, level]) => `${scope}: ${level}`),
        ]),
      ),
      permitted,
    )
    for (const { uses, with: options, job } of steps) {
      if (uses?.startsWith('actions/checkout@')) {
        t.equal(options?.['persist-credentials'], false, `${job} leaves no token in the folder`)
      }
    }
  },
)

t.test('no step puts an expression into its script, where its text would be code', async (t) => {
  for (const { run = '', job } of steps) t.notMatch(run, /\$\{\{/, job)
})

t.test('every script, file and build argument that a workflow names exists', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const runs = steps.map(({ run = '' }) => run).join('\n')
  const named = [...runs.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
  t.same(named, ['package'])
  for (const name of named) t.ok(name in scripts, name)
  t.match(runs, /^\.ci\/run$/m, 'CI runs what every change must pass')
  t.ok((statSync('.ci/run').mode & 0o111) > 0, 'as a program')
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const given = [...runs.matchAll(/--build-arg (\w+)=/g)].map(([, name = '']) => name)
  t.same([...new Set(given)].toSorted(), ['NODE_IMAGE', 'REVISION', 'SOURCE', 'VERSION'])
  for (const name of given) t.match(dockerfile, new RegExp(`^ARG ${name}(=.*)?$`, 'm'))
  const [, base = ''] = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile) ?? []
  t.match(runs, `imagetools inspect ${base} `, 'the digest is that of the base of the Dockerfile')
  t.match(runs, `NODE_IMAGE="${base}@$base"`)
})

t.test('the jobs of CI get what their tests would skip without', async (t) => {
  const { test, kubernetes } = workflows.get('ci.yaml')?.jobs ?? {}
  t.match(test?.container, { options: '--privileged' }, 'a test mounts folders')
  // The machines of GitHub have kubectl, their containers do not.
  t.notOk(kubernetes?.container)
  const [asked, ...others] = kubernetes?.steps.flatMap(({ run = [] }) => run) ?? []
  t.equal(asked, 'kubectl version --client', 'without it the job fails')
  t.match(others.join('\n'), 'npm test -- test/kubernetes/rendered.test.ts')
  for (const [name, text] of texts) t.match(text, /^# .*never run on GitHub/m, name)
})

t.test('an image has its version as a tag only after it was checked and signed', async (t) => {
  const { steps: ofImage = [] } = workflows.get('release.yaml')?.jobs['image'] ?? {}
  const [build = '', ...others] = ofImage.flatMap(({ run = [] }) => run)
  t.match(build, 'push-by-digest=true')
  t.notMatch(build, /--tag|-t /)
  const script = [build, ...others].join('\n')
  const order = [
    'push-by-digest=true',
    '"$image@$digest" check',
    'cosign sign ',
    'cosign attest ',
    'imagetools create --prefer-index=false --tag "$IMAGE:$VERSION" "$IMAGE@$DIGEST"',
  ].map((step) => script.indexOf(step))
  t.notOk(order.includes(-1), order.join(' '))
  t.same(
    order,
    order.toSorted((a, b) => a - b),
  )
  t.ok(
    ofImage.findIndex(({ uses }) => uses?.startsWith('actions/attest-build-provenance@')) <
      ofImage.findIndex(({ run }) => run?.includes('imagetools create')),
    'its origin is stated before, too',
  )
})

t.test('only a tag on main is published, and only with the consent of a person', async (t) => {
  const { package: made, ...publishing } = workflows.get('release.yaml')?.jobs ?? {}
  const [checkout, ...others] = made?.steps ?? []
  t.equal(checkout?.with?.['fetch-depth'], 0, 'it knows main')
  const script = others.map(({ run = '' }) => run).join('\n')
  const refused = script.indexOf('git merge-base --is-ancestor HEAD origin/main')
  t.ok(refused >= 0 && refused < script.indexOf('npm ci'), 'before anything of it runs')
  t.same(Object.keys(publishing), ['image', 'publish'])
  for (const [job, { environment }] of Object.entries(publishing)) {
    t.equal(environment, 'release', job)
  }
})

t.test('jobs end, and one that needs another names it', async (t) => {
  for (const [name, { jobs }] of workflows) {
    for (const [job, { needs = [], 'timeout-minutes': minutes }] of Object.entries(jobs)) {
      t.ok(minutes !== undefined && minutes <= 150, `${name} ${job}`)
      for (const other of [needs].flat()) t.ok(other in jobs, `${job} needs ${other}`)
    }
  }
})

t.test('updates are proposed for packages, actions and the base image', async (t) => {
  const { version, updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'))
  t.equal(version, 2)
  t.same(
    updates.map((update: Readonly<Record<string, unknown>>) => update['package-ecosystem']),
    ['npm', 'github-actions', 'docker'],
  )
})
