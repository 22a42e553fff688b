import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const src = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src')

interface Import {
  readonly from: string
  readonly to: string
}

/** Every import of one of our files by another, as paths below src. */
function imports(): Import[] {
  const found: Import[] = []
  for (const file of globSync('**/*.{ts,tsx}', { cwd: src })) {
    const text = readFileSync(join(src, file), 'utf8')
    for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      const to = relative(src, normalize(join(src, dirname(file), match[1] ?? '')))
      found.push({ from: file, to })
    }
  }
  return found
}

/** The house: a room may import from these rooms, and from itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  messages: [],
  certificates: ['platform'],
  catalogue: ['platform', 'messages', 'certificates'],
  gateway: ['platform', 'messages', 'certificates', 'catalogue'],
  backend: ['platform', 'messages', 'certificates', 'catalogue'],
  compose: ['platform', 'messages', 'certificates', 'catalogue', 'gateway', 'backend'],
  workers: ['platform', 'catalogue', 'gateway', 'compose'],
  'main.ts': ['platform', 'catalogue', 'compose', 'workers'],
  cli: ['platform', 'certificates', 'catalogue', 'gateway', 'backend', 'compose', 'main.ts'],
  'portal-ui': ['gateway', 'messages'],
}

/** Inside the gateway. Only explain.ts lies directly in it: it runs the checks of the edge for a command and may use all parts. */
const allowedInGateway: Readonly<Record<string, readonly string[]>> = {
  counters: [],
  registry: [],
  upstream: [],
  edge: ['counters', 'registry', 'upstream'],
  operate: ['edge', 'counters', 'registry'],
  portal: ['counters', 'registry', 'operate'],
}

/** What the data path may know of its stores: their interfaces, how a standing is told, and the form of a key; never an adapter. */
const interfaces: ReadonlySet<string> = new Set([
  'gateway/counters/bucket.ts',
  'gateway/counters/counter.ts',
  'gateway/counters/standing.ts',
  'gateway/counters/window.ts',
  'registry/keys/key-format.ts',
  'registry/registry.ts',
])

const all = imports()

t.test('there is something to look at', async (t) => {
  t.ok(all.length > 100, `${all.length} imports`)
})

t.test('rooms import in one direction; gateway and backend never meet', async (t) => {
  for (const { from, to } of all) {
    const [room = ''] = from.split('/')
    const [other = ''] = to.split('/')
    if (room === other) continue
    t.ok(allowed[room]?.includes(other), `${from} imports ${to}`)
  }
})

t.test(
  'inside the gateway the edge and the portal never import each other, stores import neither',
  async (t) => {
    for (const { from, to } of all) {
      const [room, part = '', file] = from.split('/')
      const [otherRoom, other = '', otherFile] = to.split('/')
      if (room !== 'gateway' || otherRoom !== 'gateway') continue
      if (file === undefined || part === other) continue
      t.ok(otherFile !== undefined, `${from} imports ${to}, which no part may know`)
      t.ok(allowedInGateway[part]?.includes(other), `${from} imports ${to}`)
    }
  },
)

t.test('the edge knows interfaces of its stores, no adapter', async (t) => {
  for (const { from, to } of all) {
    if (!from.startsWith('gateway/edge/')) continue
    if (to.startsWith('gateway/counters/') || to.startsWith('gateway/registry/')) {
      t.ok(interfaces.has(to), `${from} imports ${to}`)
    }
  }
})

/** The rooms of the edge, which follow a call. */
const allowedInEdge: Readonly<Record<string, readonly string[]>> = {
  request: [],
  answer: ['request'],
  checks: ['request', 'answer'],
  forward: ['request', 'answer'],
}

t.test(
  'inside the edge, what comes first in a call knows nothing of what comes later',
  async (t) => {
    for (const { from, to } of all) {
      const [, edge, room = '', file] = from.split('/')
      const [, otherEdge, other = '', otherFile] = to.split('/')
      if (edge !== 'edge' || otherEdge !== 'edge' || room === other) continue
      if (file === undefined || otherFile === undefined) continue
      t.ok(allowedInEdge[room]?.includes(other), `${from} imports ${to}`)
    }
  },
)

t.test('counters know clusters at one place', async (t) => {
  const cluster = 'gateway/counters/redis/cluster/'
  const importers = all.filter(
    ({ from, to }) => to.startsWith(cluster) && !from.startsWith(cluster),
  )
  t.same(
    importers.map(({ from }) => from),
    ['gateway/counters/redis/redis-counter.ts'],
  )
})

t.test(
  'the page knows the contract of the JSON API, its own paths and how samples are written, nothing else',
  async (t) => {
    for (const { from, to } of all) {
      if (!from.startsWith('portal-ui/') || /^(portal-ui|messages)\//.test(to)) continue
      const isContract =
        to === 'portal/pages/page-paths.ts' ||
        to.startsWith('portal/api/schemas/') ||
        to.startsWith('portal/samples/')
      t.ok(isContract, `${from} imports ${to}`)
    }
  },
)

t.test('what pages of the portal share lies beside them, not in one of them', async (t) => {
  for (const { from, to } of all) {
    const [page, shared] = [from, to].map((file) => /^portal-ui\/pages\/(\w+)\//.exec(file)?.[1])
    if (shared === undefined || shared === page || from === 'portal-ui/routes.ts') continue
    t.fail(`${from} imports ${to}`)
  }
})

t.test('the environment is read in one place and handed on by the entry points', async (t) => {
  for (const file of globSync('**/*.{ts,tsx}', { cwd: src })) {
    const readsEnvironment = readFileSync(join(src, file), 'utf8').includes('process.env')
    // The samples for Node show such a line, as text.
    const mayMentionIt = file === 'cli/main.ts' || file === 'portal/samples/node-sample.ts'
    t.ok(!readsEnvironment || mayMentionIt, `${file} reads process.env`)
  }
})
