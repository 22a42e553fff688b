import { setImmediate as turn } from 'node:timers/promises'
import type { ApiVersion, Catalogue, Operation, Segment } from './catalogue.ts'
import { fits, prefixSegments, shapeOf } from './path-template.ts'

/** What the catalogue says about a method on a path. */
export type RouteMatch = Found | MethodNotAllowed | NotFound

export interface Found {
  readonly kind: 'found'
  readonly apiVersion: ApiVersion
  readonly operation: Operation
}

export interface MethodNotAllowed {
  readonly kind: 'method-not-allowed'
  /** The first version of the catalogue that has the path: versions may share it. */
  readonly apiVersion: ApiVersion
  /** As this version publishes it. */
  readonly path: string
  /** Methods of the path, sorted. */
  readonly allow: readonly string[]
  /** Other versions of the API that have the method on this path, oldest first; retired ones too. */
  readonly availableIn: readonly string[]
}

export interface NotFound {
  readonly kind: 'not-found'
}

/**
 * Finds the operation of a call.
 *
 * At each position, a literal segment is tried first, then segments of text and
 * parameters, those with more text before others, and then a parameter alone; if
 * the rest of the path does not match, the next one is tried. The path alone
 * decides (OpenAPI 3.1, 4.8.8.2): where the literal path lacks the method, the
 * answer is `method-not-allowed`, even if a parameter would match.
 */
export interface Router {
  /** @param path as `canonicalPath` spells it */
  match(method: string, path: string): RouteMatch
  /** Adds the paths of all versions, a prefix per turn of the event loop, so that no call has to. */
  prepare(): Promise<void>
}

/** One path of the catalogue, with its operation for each method. */
interface Leaf {
  /** By method. Made once, so that a call allocates no object. */
  readonly operations: Map<string, Found>
  readonly apiVersion: ApiVersion
  /** As the first operation of that version publishes it. */
  readonly path: string
  allow: readonly string[]
  /** Other versions by method, for methods that the path lacks in this version. */
  readonly elsewhere: Map<string, readonly string[]>
}

interface Node {
  /** Versions with this prefix whose paths are not in the tree yet. */
  pending: ApiVersion[]
  readonly literals: Map<string, Node>
  /** Characters of the longest literal. */
  longest: number
  /** Those with the most text first, once all are known. */
  readonly mixed: MixedNode[]
  /** The same by their shapes. */
  readonly shapes: Map<string, Node>
  parameter: Node | undefined
  leaf: Leaf | undefined
}

interface MixedNode {
  readonly texts: readonly string[]
  readonly node: Node
}

const notFound: NotFound = Object.freeze({ kind: 'not-found' })
const nowhere: readonly string[] = Object.freeze([])

/**
 * Builds the routes of a catalogue: a tree of segments, so the time of a look-up
 * depends on the path and not on the size of the catalogue. A catalogue may have
 * 100,000 operations, and adding them all takes seconds: {@link Router.prepare}
 * does so over many turns, or a call adds those of the prefix that it reaches.
 */
export function createRouter(catalogue: Pick<Catalogue, 'versions'>): Router {
  const root = createNode()
  const apis = Map.groupBy(catalogue.versions.values(), ({ api }) => api)
  const shapes = new Map<string, Shapes>()
  const prefixes = new Set<Node>()
  for (const version of catalogue.versions.values()) {
    const node = prefixSegments(version.prefix).reduce(child, root)
    node.pending.push(version)
    prefixes.add(node)
  }
  return {
    match(method, path) {
      if (path.charCodeAt(0) !== slash) return notFound
      const leaf = find(root, path, 1)
      if (leaf === undefined) return notFound
      return (
        leaf.operations.get(method) ?? {
          kind: 'method-not-allowed',
          apiVersion: leaf.apiVersion,
          path: leaf.path,
          allow: leaf.allow,
          availableIn: leaf.elsewhere.get(method) ?? nowhere,
        }
      )
    },
    async prepare() {
      for (const node of prefixes) {
        await turn()
        addPending(node)
      }
    },
  }

  /** Walks down from `node` with the segment that begins at `start`. */
  function find(node: Node, path: string, start: number): Leaf | undefined {
    if (node.pending.length > 0) addPending(node)
    const next = path.indexOf('/', start)
    const segment = next === -1 ? path.slice(start) : path.slice(start, next)
    // A map enters every text that it is asked for in V8's table of strings: no id is asked for.
    const literal = segment.length > node.longest ? undefined : node.literals.get(segment)
    const leaf = below(literal, path, next)
    if (leaf !== undefined || segment === '') return leaf
    for (const { texts, node: mixed } of node.mixed) {
      const found = fits(segment, texts) ? below(mixed, path, next) : undefined
      if (found !== undefined) return found
    }
    return below(node.parameter, path, next)
  }

  /** @param next where the segment ends; -1: it is the last */
  function below(node: Node | undefined, path: string, next: number): Leaf | undefined {
    if (node === undefined || next === -1) return node?.leaf
    return find(node, path, next + 1)
  }

  function shapesOf(api: string): Shapes {
    const known = shapes.get(api) ?? versionsByShape(apis.get(api) ?? [])
    shapes.set(api, known)
    return known
  }

  /** Every path below a prefix leads past its node, so each is added before it is looked for. */
  function addPending(node: Node): void {
    const versions = node.pending
    node.pending = []
    const leaves = versions.flatMap((version) =>
      version.operations.map((operation) => insert(node, version, operation)),
    )
    sortMixed(node)
    for (const [leaf, operation] of leaves) complete(leaf, operation, shapesOf(operation.api))
  }
}

const slash = '/'.charCodeAt(0)

function createNode(): Node {
  return {
    pending: [],
    literals: new Map(),
    longest: 0,
    mixed: [],
    shapes: new Map(),
    parameter: undefined,
    leaf: undefined,
  }
}

/** @param node of the version's prefix */
function insert(
  node: Node,
  apiVersion: ApiVersion,
  operation: Operation,
): readonly [Leaf, Operation] {
  const last = operation.segments.reduce(child, node)
  last.leaf ??= {
    operations: new Map(),
    apiVersion,
    path: operation.path,
    allow: nowhere,
    elsewhere: new Map(),
  }
  const { operations } = last.leaf
  operations.set(operation.method, Object.freeze({ kind: 'found', apiVersion, operation }))
  return [last.leaf, operation]
}

function child(node: Node, segment: Segment): Node {
  if (segment.kind === 'parameter') {
    node.parameter ??= createNode()
    return node.parameter
  }
  if (segment.kind === 'mixed') {
    const shape = shapeOf(segment)
    const known = node.shapes.get(shape) ?? createNode()
    if (!node.shapes.has(shape)) node.mixed.push({ texts: segment.texts, node: known })
    node.shapes.set(shape, known)
    return known
  }
  const known = node.literals.get(segment.text) ?? createNode()
  node.literals.set(segment.text, known)
  node.longest = Math.max(node.longest, segment.text.length)
  return known
}

function sortMixed(node: Node): void {
  node.mixed.sort(byText)
  const others = [...node.literals.values(), ...node.shapes.values(), node.parameter]
  for (const other of others) if (other !== undefined) sortMixed(other)
}

/** Most text first; in the order of the texts where that is equal, so that no order of files matters. */
function byText({ texts: one }: MixedNode, { texts: other }: MixedNode): number {
  const more = other.join('').length - one.join('').length
  return more !== 0 ? more : one.join('{}') < other.join('{}') ? -1 : 1
}

/** Adds what is known only after all operations are inserted: the methods of the path in this version and in others. */
function complete(leaf: Leaf, operation: Operation, shapes: Shapes): void {
  leaf.allow = Object.freeze([...leaf.operations.keys()].sort())
  for (const [method, versions] of shapes.get(pathShapeOf(operation)) ?? []) {
    if (leaf.operations.has(method)) continue
    const known = leaf.elsewhere.get(method) ?? []
    leaf.elsewhere.set(method, Object.freeze([...new Set([...known, ...versions])]))
  }
}

/** The versions of an API that have each method, by path. Names of parameters are ignored. */
type Shapes = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function versionsByShape(versions: readonly ApiVersion[]): Shapes {
  const shapes = new Map<string, Map<string, string[]>>()
  for (const { version, operations } of versions) {
    for (const operation of operations) {
      const shape = pathShapeOf(operation)
      const methods = shapes.get(shape) ?? new Map<string, string[]>()
      shapes.set(shape, methods)
      methods.set(operation.method, [...(methods.get(operation.method) ?? []), version])
    }
  }
  return shapes
}

/** The path within its version, whose prefix differs. */
function pathShapeOf({ segments }: Operation): string {
  return segments.map(shapeOf).join('/')
}
