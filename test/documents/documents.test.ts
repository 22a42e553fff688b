import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { Json, JsonObject } from '../../src/catalogue/catalogue.ts'
import { membersOf } from '../../src/catalogue/documents/reference.ts'
import { isJsonArray, isJsonObject, objectMembersOf } from '../../src/catalogue/json.ts'
import { type Published, published, withReferred } from '../support/published.ts'

const mandate = published('mandate', '1.0.0')
const old = published('xs2a', '1.6.0')
const current = published('xs2a', '1.7.0')
const all = [mandate, old, current]

const calls = ({ operations }: Published) =>
  operations.map(({ id, method, template }) => `${method} ${template} ${id}`)

t.test('the versions publish 4, 21 and 20 operations', async (t) => {
  t.same(
    all.map(({ operations }) => operations.length),
    [4, 21, 20],
  )
})

t.test('1.7.0 lacks the read of a payment authorisation and nothing else', async (t) => {
  const read = 'GET /payments/{payment-product}/{paymentId}/authorisations/{authorisationId}'
  t.same(
    calls(old).filter((call) => !calls(current).includes(call)),
    [`${read} getPaymentAuthorisation`],
  )
  t.same(
    calls(current).filter((call) => !calls(old).includes(call)),
    [],
  )
})

t.test('only 1.6.0 is deprecated, and names its successor', async (t) => {
  const announced = { deprecated: '2024-04-14', sunset: '2027-10-31', successor: '1.7.0' }
  t.same(old.lifecycle, announced)
  t.same(current.lifecycle, {})
  t.same(mandate.lifecycle, {})
})

t.test(
  'a version document is a list: it says nothing that another version would repeat',
  async (t) => {
    for (const path of ['mandate/1.0.0', 'xs2a/1.6.0', 'xs2a/1.7.0']) {
      const file = fileURLToPath(new URL(`../../config/apis/${path}.yaml`, import.meta.url))
      const lines = readFileSync(file, 'utf8').split('\n')
      const paths = lines.slice(lines.indexOf('paths:') + 1, lines.indexOf('components:'))
      t.ok(paths.length > 0)
      for (const line of paths) {
        t.match(
          line,
          /^ {2}\/\S+: \{ \$ref: '\.\.\/\.\.\/shared\/\S+#\/components\/pathItems\/\S+' \}$/,
        )
      }
    }
  },
)

/** What makes a schema for objects open, as pointers from where the walk began. */
function openings(document: JsonObject, start: JsonObject): string[] {
  const found: string[] = []
  const seen = new Set<JsonObject>()
  visit(start, '')
  return found

  function visit(value: Json | undefined, path: string): void {
    // `false` admits nothing; `true` and a missing schema admit everything.
    if (value === false) return
    if (!isJsonObject(value)) return void found.push(`${path}: admits anything`)
    for (const schema of withReferred(document, value)) visitOne(schema, path)
  }

  function visitOne(schema: JsonObject, path: string): void {
    if (seen.has(schema)) return
    seen.add(schema)
    const { type } = schema
    const alternatives = [schema['oneOf'], schema['anyOf']].filter(isJsonArray).flat()
    if (type === 'object') {
      const isClosed =
        schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false
      if (!isClosed) found.push(`${path}: members that are not described are admitted`)
      if (!isJsonArray(schema['required'])) found.push(`${path}: no list of required members`)
      // What else a closed object says (oneOf, if, dependentSchemas) can only narrow it.
      for (const [name, member] of Object.entries(asObject(schema['properties']))) {
        visit(member, `${path}/${name}`)
      }
    } else if (type === 'array') {
      visit(schema['items'], `${path}/*`)
    } else if (alternatives.length > 0 && type === undefined) {
      for (const [index, alternative] of alternatives.entries()) {
        visit(alternative, `${path}|${index}`)
      }
    } else if (type === undefined && schema['$ref'] === undefined) {
      found.push(`${path}: admits any type`)
    }
  }
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const at = (document: JsonObject, pointer: string): JsonObject => {
  const value = withReferred(document, { $ref: `#${pointer}` })[1]
  if (value === undefined) throw new Error(`nothing at ${pointer}`)
  return value
}

for (const version of all) {
  const { api, document, bodies, operations } = version
  t.test(`${api}@${version.version}`, async (t) => {
    t.test(
      'every answer is described by schemas that are closed and list what is required',
      async (t) => {
        const answers = bodies.filter(({ of }) => of !== 'request')
        t.ok(answers.length > 100 || api === 'mandate')
        const found = answers.flatMap((body) =>
          openings(document, at(document, body.schema)).map(
            (opening) => `${body.operation.id} ${body.of} ${body.mediaType}${opening}`,
          ),
        )
        t.same(found, [])
      },
    )

    t.test('every request and every answer has an example', async (t) => {
      for (const { operation, of, mediaType, examples } of bodies) {
        t.ok(examples.length > 0, `${operation.id} ${of} ${mediaType}`)
      }
    })

    t.test('every example keeps to its schema', async (t) => {
      for (const { operation, of, mediaType, schema, examples } of bodies) {
        const validate = version.validator(schema)
        for (const [name, value] of examples) {
          t.ok(validate(value), `${operation.id} ${of} ${mediaType} ${name}`, {
            errors: validate.errors,
          })
        }
      }
    })

    t.test('an example of an answer is refused with any member too many', async (t) => {
      for (const { operation, of, schema, examples } of bodies) {
        if (of === 'request') continue
        const validate = version.validator(schema)
        for (const [name, value] of examples) {
          for (const [path, changed] of withIntruder(value)) {
            t.notOk(validate(changed), `${operation.id} ${of} ${name} ${path}`)
          }
        }
      }
    })

    t.test('every parameter and header has a schema, and its example keeps to it', async (t) => {
      let checked = 0
      for (const { id } of operations) {
        const { parameters, responses } = version.describe(id)
        const headers = responses.flatMap(([, response]) =>
          membersOf(document, response, 'headers'),
        )
        const objects = [...parameters.map(({ object }) => object), ...headers.map(([, it]) => it)]
        for (const { value, pointer } of objects) {
          const validate = version.validator(`${pointer}/schema`)
          const examples = [
            ...(value['example'] === undefined ? [] : [value['example']]),
            ...objectMembersOf(value['examples']).map(([, example]) => example['value'] ?? null),
          ]
          t.ok(examples.length > 0, `${id} ${pointer} has an example`)
          for (const example of examples) {
            checked++
            t.ok(validate(example), `${id} ${pointer}`, { errors: validate.errors })
          }
        }
      }
      t.ok(checked > 0)
    })

    t.test('every call needs X-Request-ID, and every answer carries it', async (t) => {
      for (const { id } of operations) {
        const { parameters, responses } = version.describe(id)
        const isSent = parameters.some((it) => it.name === 'X-Request-ID' && it.isRequired)
        t.ok(isSent, id)
        for (const [status, response] of responses) {
          const header = membersOf(document, response, 'headers').find(
            ([name]) => name === 'X-Request-ID',
          )
          t.equal(header?.[1].value['required'], true, `${id} ${status}`)
        }
      }
    })

    t.test('a created resource has a Location and says how it is approved', async (t) => {
      for (const { id } of operations) {
        for (const [status, response] of version.describe(id).responses) {
          if (status !== '201') continue
          const headers = new Map(membersOf(document, response, 'headers'))
          t.equal(headers.get('Location')?.value['required'], true, id)
          t.equal(headers.get('ASPSP-SCA-Approach')?.value['required'], true, id)
        }
      }
    })

    t.test('no link leads to an authorisation that would have to be started', async (t) => {
      t.notMatch(JSON.stringify(document), /startAuthorisation/i)
    })

    t.test('every operation is described, in prose and by its tag', async (t) => {
      const tags = isJsonArray(document['tags'])
        ? document['tags'].map((tag) => asObject(tag)['name'])
        : []
      for (const { id, summary } of operations) {
        const { value } = version.describe(id).object
        t.ok(summary.length > 0, id)
        t.ok(String(value['description'] ?? '').length > 0, id)
        t.ok(isJsonArray(value['tags']) && value['tags'].every((tag) => tags.includes(tag)), id)
      }
    })
  })
}

/** The value with one member too many, once for each object in it. */
function withIntruder(value: Json, path = ''): [path: string, changed: Json][] {
  if (isJsonArray(value)) {
    return value.flatMap((item, index) =>
      withIntruder(item, `${path}/${index}`).map(([where, changed]): [string, Json] => [
        where,
        value.with(index, changed),
      ]),
    )
  }
  if (!isJsonObject(value)) return []
  const inside = Object.entries(value).flatMap(([name, item]) =>
    withIntruder(item ?? null, `${path}/${name}`).map(([where, changed]): [string, Json] => [
      where,
      { ...value, [name]: changed },
    ]),
  )
  return [[path, { ...value, intruder: 1 }], ...inside]
}

t.test('a payment links to scaStatus in 1.6.0 and never in 1.7.0', async (t) => {
  const link = { scaStatus: { href: '/authorisation' } }
  for (const [id, status] of [
    ['initiatePayment', '201'],
    ['updatePaymentAuthorisation', '200'],
  ] as const) {
    for (const version of [old, current]) {
      const { schema, examples } = version.body(id, status)
      for (const [name, value] of examples) {
        if (!isJsonObject(value) || !isJsonObject(value['_links'])) throw new Error(name)
        const linked = { ...value, _links: { ...value['_links'], ...link } }
        t.equal(version.validator(schema)(linked), version === old, `${id} ${name}`)
      }
    }
  }
})

t.test('a new consent links to scaStatus in both versions', async (t) => {
  for (const version of [old, current]) {
    const { schema, examples } = version.body('createConsent', '201')
    for (const [name, value] of examples) {
      if (!isJsonObject(value) || !isJsonObject(value['_links'])) throw new Error(name)
      const { scaStatus: _, ...links } = value['_links']
      t.notOk(version.validator(schema)({ ...value, _links: links }), name)
    }
  }
})

t.test('a mandate never links to scaStatus or a confirmation', async (t) => {
  for (const name of ['scaStatus', 'confirmation']) {
    for (const [id, status] of [
      ['createMandate', '201'],
      ['deleteMandate', '202'],
    ] as const) {
      const { schema, examples } = mandate.body(id, status)
      const value = examples[0]?.[1]
      if (!isJsonObject(value) || !isJsonObject(value['_links'])) throw new Error(id)
      const linked = { ...value, _links: { ...value['_links'], [name]: { href: '/x' } } }
      t.notOk(mandate.validator(schema)(linked), `${id} ${name}`)
    }
  }
})
