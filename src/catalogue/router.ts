import type { ApiVersion, Catalogue, Operation, Segment } from './catalogue.ts'

/** What the catalogue says about a method on a path. */
export type RouteMatch = Found | MethodNotAllowed | NotFound

export interface Found {
  readonly kind: 'found'
  readonly apiVersion: ApiVersion
  readonly operation: Operation
  /** Values of the path's parameters, in the order of the path. Their length is not checked. */
  readonly parameters: readonly string[]
}

export interface MethodNotAllowed {
  readonly kind: 'method-not-allowed'
  readonly apiVersion: ApiVersion
  /** Methods the path has in this version, sorted. */
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
 * A literal segment is tried before a parameter at the same position; if the
 * rest of the path does not match there, the parameter is tried. The path alone
 * decides (OpenAPI 3.1, 4.8.8.2): where the literal path lacks the method, the
 * answer is `method-not-allowed`, even if a parameter would match.
 */
export interface Router {
  /** @param path canonical: begins with `/`, without percent-encoding */
  match(method: string, path: string): RouteMatch
}

/** One path of the catalogue, with its operation for each method. */
interface Leaf {
  /** Without parameter values, so a call to a fixed path allocates no object. */
  readonly operations: Map<string, Found>
  readonly apiVersion: ApiVersion
  allow: readonly string[]
  /** Other versions by method, for methods that the path lacks in this version. */
  readonly elsewhere: Map<string, readonly string[]>
}

interface Node {
  readonly literals: Map<string, Node>
  parameter: Node | undefined
  leaf: Leaf | undefined
}

const notFound: NotFound = Object.freeze({ kind: 'not-found' })
const nowhere: readonly string[] = Object.freeze([])

/**
 * Builds the routes of a catalogue: a tree of segments, so the time of a look-up depends on the path and not on the size of
 * the catalogue.
 */
export function createRouter(catalogue: Catalogue): Router {
  const root = createNode()
  for (const apiVersion of catalogue.versions.values()) {
    for (const operation of apiVersion.operations) insert(root, apiVersion, operation)
  }
  const shapes = versionsByShape(catalogue)
  for (const apiVersion of catalogue.versions.values()) {
    for (const operation of apiVersion.operations) complete(root, operation, shapes)
  }
  return {
    match(method, path) {
      if (path.charCodeAt(0) !== slash) return notFound
      const values: string[] = []
      const leaf = find(root, path, 1, values)
      if (leaf === undefined) return notFound
      const found = leaf.operations.get(method)
      if (found !== undefined) return values.length === 0 ? found : withParameters(found, values)
      return {
        kind: 'method-not-allowed',
        apiVersion: leaf.apiVersion,
        allow: leaf.allow,
        availableIn: leaf.elsewhere.get(method) ?? nowhere,
      }
    },
  }
}

const slash = '/'.charCodeAt(0)

/** Walks down from `node` with the segment that begins at `start`; `values` holds the parameter values up to there. */
function find(node: Node, path: string, start: number, values: string[]): Leaf | undefined {
  const next = path.indexOf('/', start)
  const segment = next === -1 ? path.slice(start) : path.slice(start, next)
  const literal = node.literals.get(segment)
  if (literal !== undefined) {
    const leaf = next === -1 ? literal.leaf : find(literal, path, next + 1, values)
    if (leaf !== undefined) return leaf
  }
  if (node.parameter === undefined || segment === '') return undefined
  values.push(segment)
  const leaf = next === -1 ? node.parameter.leaf : find(node.parameter, path, next + 1, values)
  if (leaf === undefined) values.pop()
  return leaf
}

function withParameters(found: Found, parameters: readonly string[]): Found {
  return { kind: 'found', apiVersion: found.apiVersion, operation: found.operation, parameters }
}

function createNode(): Node {
  return { literals: new Map(), parameter: undefined, leaf: undefined }
}

function insert(root: Node, apiVersion: ApiVersion, operation: Operation): void {
  const node = operation.segments.reduce(child, root)
  node.leaf ??= { operations: new Map(), apiVersion, allow: nowhere, elsewhere: new Map() }
  node.leaf.operations.set(
    operation.method,
    Object.freeze({ kind: 'found', apiVersion, operation, parameters: nowhere }),
  )
}

function child(node: Node, segment: Segment): Node {
  if (segment.kind === 'parameter') {
    node.parameter ??= createNode()
    return node.parameter
  }
  const known = node.literals.get(segment.text) ?? createNode()
  node.literals.set(segment.text, known)
  return known
}

/** Adds what is known only after all operations are inserted: the methods of the path in this version and in others. */
function complete(root: Node, operation: Operation, shapes: Shapes): void {
  const { leaf } = operation.segments.reduce(child, root)
  if (leaf === undefined) throw new Error('an operation was not inserted')
  leaf.allow = Object.freeze([...leaf.operations.keys()].sort())
  for (const [method, versions] of shapes.get(shapeOf(operation)) ?? []) {
    if (leaf.operations.has(method)) continue
    const known = leaf.elsewhere.get(method) ?? []
    leaf.elsewhere.set(method, Object.freeze([...new Set([...known, ...versions])]))
  }
}

/** The versions that have each method, by API and path. Names of parameters are ignored. */
type Shapes = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function versionsByShape(catalogue: Catalogue): Shapes {
  const shapes = new Map<string, Map<string, string[]>>()
  for (const { version, operations } of catalogue.versions.values()) {
    for (const operation of operations) {
      const shape = shapeOf(operation)
      const methods = shapes.get(shape) ?? new Map<string, string[]>()
      shapes.set(shape, methods)
      methods.set(operation.method, [...(methods.get(operation.method) ?? []), version])
    }
  }
  return shapes
}

function shapeOf({ api, segments }: Operation): string {
  // The first segment is the version's prefix.
  const rest = segments
    .slice(1)
    .map((segment) => (segment.kind === 'literal' ? segment.text : '{}'))
  return [api, ...rest].join('/')
}
