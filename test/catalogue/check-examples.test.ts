import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'

t.test(
  'a schema that does not compile is compiled and reported once, however many refer to it',
  async (t) => {
    const names = ['A', 'B', 'C', 'D']
    const toSchema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const holder = {
      type: 'object',
      properties: { id: toSchema('Id'), count: { type: 'integer' } },
    }
    const schemas = {
      ...Object.fromEntries(names.map((name) => [name, holder])),
      Id: { type: 'string', pattern: '[' },
    }
    const paths = Object.fromEntries(
      names.map((name) => {
        const content = { 'application/json': { schema: toSchema(name), example: { count: 1 } } }
        const get = { responses: { 200: { description: 'done', content } } }
        return [`/${name}`, { get }]
      }),
    )
    const folder = ownApis(t, { 'own/1.json': ownDocument([], { paths, components: { schemas } }) })
    const compilations = t.capture(Ajv2020.prototype, 'getSchema', Ajv2020.prototype.getSchema)
    const { warnings } = await inspectCatalogue(folder)
    const ids = compilations().map(({ args }) => String(args[0]))
    t.ok(ids.includes('urn:tollgate:document#/components/schemas/Id'))
    t.same(ids, [...new Set(ids)])
    const uncompilable = warnings.filter(({ rule }) => rule === 'schema-uncompilable')
    t.match(uncompilable, [{ message: /^components\.schemas\.Id: / }])
    t.equal(uncompilable.length, 1)
  },
)
