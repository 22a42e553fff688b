import { createDraw } from './random.ts'

/** How much a document has. */
export interface LongDocumentOptions {
  /** A multiple of five. */
  readonly operations: number
  /** Path of its server; prefix of its paths. */
  readonly basePath: string
}

/** Operations of each resource, by method and path. */
const kinds = [
  ['list', 'get', ''],
  ['create', 'post', ''],
  ['read', 'get', '/{id}'],
  ['replace', 'put', '/{id}'],
  ['remove', 'delete', '/{id}'],
] as const

/** Schemas that refer to each other. */
const family = 12

/**
 * A document as large companies publish them: five operations for each resource,
 * three resources for each tag, nested and circular schemas, and a description of
 * everything. The same options give the same document.
 */
export function longDocument({ operations, basePath }: LongDocumentOptions): object {
  const { below, text } = createWriter()
  const resources = operations / kinds.length
  const schemas = Math.ceil((resources * 5) / 3)
  const schema = (name: number) => ({ $ref: `#/components/schemas/Schema${name % schemas}` })

  function described(name: number): object {
    const first = name - (name % family)
    const members = Array.from({ length: 6 + below(10) }, (_, at): [string, object] => {
      const referred = schema(first + below(family))
      const forms = [
        referred,
        { type: 'array', description: text(8), items: referred },
        { type: 'string', description: text(12), enum: [text(1), text(1)] },
        { type: 'integer', description: text(10), minimum: 0 },
      ]
      return [`member${at}`, forms[below(forms.length)] ?? {}]
    })
    const properties = { ...Object.fromEntries(members), parent: schema(name) }
    return { type: 'object', description: text(20), required: ['member0'], properties }
  }

  function pathItem(resource: number, path: string): object {
    const content = { 'application/json': { schema: schema(resource) } }
    const own = kinds.filter(([, , end]) => end === path)
    const items = own.map(([verb, method]): [string, object] => [
      method,
      {
        operationId: `${verb}Resource${resource}`,
        tags: [`Subject ${Math.floor(resource / 3)}`],
        summary: text(5),
        description: `${text(40)}\n\n${text(30)}`,
        parameters: ['cursor', 'limit', 'sort'].map((name) => ({
          name,
          in: 'query',
          description: text(12),
          schema: { type: 'string' },
        })),
        ...(['create', 'replace'].includes(verb) && { requestBody: { content } }),
        responses: {
          200: { description: text(6), content },
          404: { description: text(8) },
        },
      },
    ])
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
    return { ...Object.fromEntries(items), ...(path !== '' && { parameters: [id] }) }
  }

  const paths = Array.from({ length: resources }, (_, resource) =>
    ['', '/{id}'].map((end) => [`/resources${resource}${end}`, pathItem(resource, end)]),
  )
  return {
    openapi: '3.1.1',
    info: { title: 'Platform', version: '1', description: text(60) },
    servers: [{ url: `https://api.example.com${basePath}` }],
    paths: Object.fromEntries(paths.flat()),
    components: {
      schemas: Object.fromEntries(
        Array.from({ length: schemas }, (_, name) => [`Schema${name}`, described(name)]),
      ),
    },
  }
}

/** Draws numbers, and sentences of 3,000 words that do not exist. */
function createWriter() {
  const below = createDraw(1)
  const words = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 3 + below(7) }, () => String.fromCharCode(97 + below(26))).join(''),
  )
  const text = (length: number) =>
    Array.from({ length }, () => words[below(words.length)]).join(' ')
  return { below, text }
}
