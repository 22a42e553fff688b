import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { pageSources } from '../../src/portal/pages/stamp-page.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const src = join(root, 'src')

interface Import {
  readonly from: string
  readonly to: string
}

/**
 * Every import of one file of a folder by another, as paths below it. A thread that a file starts is an import, too.
 *
 * @param options.withTypes whether imports of types alone count
 */
function imports(folder = 'src', { withTypes = true } = {}): Import[] {
  const base = join(root, folder)
  return globSync('**/*.{ts,tsx}', { cwd: base }).flatMap((file) => {
    const whole = readFileSync(join(base, file), 'utf8')
    const text = withTypes ? whole : whole.replace(/^(?:import|export) type [^']+'[^']+'/gm, '')
    const found = text.matchAll(/(?:from|import|new URL)\s*\(?\s*'(\.{1,2}\/[^']+\.tsx?)'/g)
    return Array.from(found, ([, path = '']) => ({
      from: file,
      to: relative(base, normalize(join(base, dirname(file), path))),
    }))
  })
}

/** Groups of files each of which imports every other one of its group, directly or through others (Tarjan). */
function circles(folder: string): string[][] {
  const targets = Map.groupBy(imports(folder), ({ from }) => from)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    lowest.set(file, own)
    path.push(file)
    for (const { to } of targets.get(file) ?? []) {
      const reached = !order.has(to) ? visit(to) : path.includes(to) ? order.get(to) : undefined
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached ?? own))
    }
    const low = lowest.get(file) ?? own
    if (low === own) {
      const group = path.splice(path.indexOf(file))
      if (group.length > 1 || targets.get(file)?.some(({ to }) => to === file)) found.push(group)
    }
    return low
  }
  for (const file of targets.keys()) if (!order.has(file)) visit(file)
  return found
}

/** The house: a room may import from these rooms, and from itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  messages: [],
  certificates: ['platform'],
  catalogue: ['platform', 'messages', 'certificates'],
  registry: ['platform', 'messages', 'certificates', 'catalogue'],
  gateway: ['platform', 'messages', 'certificates', 'catalogue', 'registry'],
  portal: ['platform', 'messages', 'certificates', 'catalogue', 'registry', 'gateway'],
  backend: ['platform', 'messages', 'certificates', 'catalogue'],
  compose: [
    'platform',
    'messages',
    'certificates',
    'catalogue',
    'registry',
    'gateway',
    'portal',
    'backend',
  ],
  'main.ts': ['platform', 'catalogue', 'compose'],
  cli: [
    'platform',
    'messages',
    'certificates',
    'catalogue',
    'registry',
    'gateway',
    'portal',
    'backend',
    'compose',
    'main.ts',
  ],
  'portal-ui': ['portal', 'messages'],
}

/**
 * Inside the gateway. Only explain.ts lies directly in it: it runs the checks of the edge for a command and may use all
 * parts.
 */
const allowedInGateway: Readonly<Record<string, readonly string[]>> = {
  counters: [],
  upstream: [],
  edge: ['counters', 'upstream'],
  operate: ['edge', 'counters'],
}

/**
 * What the data path may know of its stores: their interfaces, how a standing is represented, and the form of a key; never
 * an adapter.
 */
const interfaces: ReadonlySet<string> = new Set([
  'gateway/counters/bucket.ts',
  'gateway/counters/counter.ts',
  'gateway/counters/standing.ts',
  'gateway/counters/window.ts',
  'registry/keys/key-format.ts',
  'registry/registry.ts',
])

/** What the portal may know of the gateway: how calls are counted, to show counts. */
const counts: ReadonlySet<string> = new Set([
  'gateway/counters/bucket.ts',
  'gateway/counters/counted-limits.ts',
  'gateway/counters/counter.ts',
  'gateway/counters/store-unavailable.ts',
  'gateway/counters/window.ts',
])

const all = imports()

const named = (found: readonly Import[]) => found.map(({ from, to }) => `${from} imports ${to}`)

t.test('there is something to look at', async (t) => {
  t.ok(all.length > 100, `${all.length} imports`)
})

t.test('no file imports itself by way of others, not even for a type', async (t) => {
  for (const folder of ['src', 'test', 'proofs']) t.same(circles(folder), [])
})

t.test('rooms import in one direction; gateway and backend never meet', async (t) => {
  const wrong = all.filter(({ from, to }) => {
    const [room = ''] = from.split('/')
    const [other = ''] = to.split('/')
    return room !== other && allowed[room]?.includes(other) !== true
  })
  t.same(named(wrong), [])
})

t.test(
  'the gateway knows nothing of the portal, and the portal only how calls are counted',
  async (t) => {
    const wrong = all.filter(
      ({ from, to }) =>
        (from.startsWith('gateway/') && to.startsWith('portal/')) ||
        (from.startsWith('portal/') && to.startsWith('gateway/') && !counts.has(to)),
    )
    t.same(named(wrong), [])
  },
)

/** An arrow of a drawing. */
interface Arrow extends Import {
  /** A dotted arrow leads no further. */
  readonly isDotted: boolean
}

/** The arrows between the rooms in the drawing of docs/architecture.md. */
function drawnArrows(): Arrow[] {
  const text = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8')
  const [, drawing = ''] = /^```mermaid\nflowchart TD\n(.*?)^```/ms.exec(text) ?? []
  const labels = drawing.matchAll(/(\w+)\[([\w.-]+)/g)
  const names = new Map(Array.from(labels, ([, id = '', label = '']) => [id, label]))
  const namesOf = (part = '') => part.split('&').map((id) => names.get(id.trim()) ?? id.trim())
  return drawing.split('\n').flatMap((line) => {
    const parts = line.replaceAll(/\[[^\]]*\]/g, '').split(/(-->|-\..*?\.->)/)
    return parts.flatMap((arrow, at) =>
      at % 2 === 0
        ? []
        : namesOf(parts[at - 1]).flatMap((from) =>
            namesOf(parts[at + 1]).map((to) => ({ from, to, isDotted: arrow !== '-->' })),
          ),
    )
  })
}

t.test(
  'the drawing of the rooms in docs/architecture.md shows every import, no other',
  async (t) => {
    const arrows = drawnArrows()
    const parts = Object.keys(allowedInGateway)
    const roomOf = (file: string) => {
      const [room = '', part = '', inPart] = file.split('/')
      return room === 'gateway' && inPart !== undefined ? part : room
    }
    /** Arrows of the gateway are arrows of its parts. */
    const isOf = (drawn: string, room: string) =>
      drawn === room || (drawn === 'gateway' && parts.includes(room))
    const reached = (from: string, to: string, isFirst = true): boolean =>
      arrows.some(
        (arrow) =>
          isOf(arrow.from, from) &&
          (isOf(arrow.to, to)
            ? isFirst || !arrow.isDotted
            : !arrow.isDotted && reached(arrow.to, to, false)),
      )
    // Guides are Markdown, which no file imports.
    const drawn = [...all, { from: 'portal/guides/guide-sources.ts', to: 'guides/en' }].map(
      ({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }),
    )
    t.same(
      named(
        drawn.filter(({ from, to }) => from !== to && from !== 'gateway' && !reached(from, to)),
      ),
      [],
      'imported, and not drawn',
    )
    t.same(
      named(
        arrows.filter(
          (arrow) => !drawn.some(({ from, to }) => isOf(arrow.from, from) && isOf(arrow.to, to)),
        ),
      ),
      [],
      'drawn, and not imported',
    )
  },
)

t.test("only the portal, commands and the sandbox's trust read the portal's tables", async (t) => {
  const readers = all.filter(
    ({ from, to }) => to.startsWith('portal/stores/') && !/^(portal|cli)\//.test(from),
  )
  t.same([...new Set(readers.map(({ from }) => from))].sort(), [
    'compose/portal.ts',
    'compose/sandbox-trust.ts',
    'compose/welcome.ts',
  ])
})

t.test(
  'inside the gateway the edge knows nothing of operation, and stores know neither',
  async (t) => {
    const wrong = all.filter(({ from, to }) => {
      const [room, part = '', file] = from.split('/')
      const [otherRoom, other = ''] = to.split('/')
      if (room !== 'gateway' || otherRoom !== 'gateway') return false
      return (
        file !== undefined && part !== other && allowedInGateway[part]?.includes(other) !== true
      )
    })
    t.same(named(wrong), [])
  },
)

t.test('the edge knows interfaces of its stores, no adapter', async (t) => {
  const wrong = all.filter(
    ({ from, to }) =>
      from.startsWith('gateway/edge/') &&
      /^(gateway\/counters|registry)\//.test(to) &&
      !interfaces.has(to),
  )
  t.same(named(wrong), [])
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
    const wrong = all.filter(({ from, to }) => {
      const [, edge, room = '', file] = from.split('/')
      const [, otherEdge, other = '', otherFile] = to.split('/')
      if (edge !== 'edge' || otherEdge !== 'edge' || room === other) return false
      if (file === undefined || otherFile === undefined) return false
      return allowedInEdge[room]?.includes(other) !== true
    })
    t.same(named(wrong), [])
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
  'the page knows the contract of the JSON API, its own paths, how samples are written, and how documents and their texts are read, nothing else',
  async (t) => {
    const wrong = all.filter(
      ({ from, to }) =>
        from.startsWith('portal-ui/') &&
        !/^(portal-ui|messages|portal\/api\/schemas|portal\/samples)\//.test(to) &&
        to !== 'portal/pages/page-paths.ts' &&
        to !== 'portal/documents/document-nodes.ts' &&
        to !== 'portal/documents/markup-blocks.ts' &&
        to !== 'portal/documents/own-security.ts',
    )
    t.same(named(wrong), [])
  },
)

t.test('the stamp of the page covers every source that it is built from', async (t) => {
  const targets = Map.groupBy(imports('src', { withTypes: false }), ({ from }) => from)
  const reached = new Set(globSync('portal-ui/**/*.{ts,tsx}', { cwd: src }))
  for (const file of reached) for (const { to } of targets.get(file) ?? []) reached.add(to)
  const missing = [...reached]
    .map((file) => `src/${file}`)
    .filter((file) => !pageSources.some((source) => `${file}/`.startsWith(`${source}/`)))
  t.same(missing, [])
})

t.test('what pages of the portal share lies beside them, not in one of them', async (t) => {
  const wrong = all.filter(({ from, to }) => {
    const [page, shared] = [from, to].map((file) => /^portal-ui\/pages\/(\w+)\//.exec(file)?.[1])
    return shared !== undefined && shared !== page && from !== 'portal-ui/routes.ts'
  })
  t.same(named(wrong), [])
})

t.test('the environment is read in one place and handed on by the entry points', async (t) => {
  const readers = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) =>
    readFileSync(join(src, file), 'utf8').includes('process.env'),
  )
  // The samples for Node show such a line, as text.
  t.same(readers.sort(), ['cli/main.ts', 'portal/samples/node-sample.ts'])
})
