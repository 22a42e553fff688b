import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ApiVersion, Operation } from '../../src/catalogue/catalogue.ts'
import { compileContracts } from '../../src/catalogue/contract.ts'
import { operationObject } from '../../src/catalogue/documents/operation-object.ts'
import { membersOf } from '../../src/catalogue/documents/reference.ts'
import { walkDocument } from '../../src/catalogue/documents/walk-document.ts'
import { translatedDocument } from '../../src/catalogue/in-language.ts'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'
import { isJsonObject } from '../../src/catalogue/json.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import { answerContracts } from '../support/answer-contract.ts'

t.test('the published configuration is valid, every schema and example of it', async (t) => {
  const { catalogue } = await inspectCatalogue('config', { isStrict: true })
  const { versions, plans } = catalogue
  t.strictSame(
    [...versions.values()].map(({ api, version, operations }) => [api, version, operations.length]),
    [
      ['mandate', '1.0.0', 4],
      ['xs2a', '1.6.0', 21],
      ['xs2a', '1.7.0', 20],
    ],
  )
  t.strictSame(versions.get('xs2a@1.6.0')?.lifecycle, {
    deprecated: '2024-04-14',
    sunset: '2027-10-31',
    successor: '1.7.0',
  })
  t.match(plans.get('default'), {
    limits: [
      { name: 'default', calls: 100, windowLength: 3600, isAdvertised: true, scope: 'operation' },
    ],
  })
})

t.test(
  'each operation, parameter, body, response, schema, example and version has a text in Hebrew',
  async (t) => {
    const { versions } = await loadCatalogue('config')
    const hebrew = /\p{Script=Hebrew}/u
    for (const published of versions.values()) {
      const { api, version, translations, operations } = published
      const document = published.document.read()
      const { he } = translations
      if (he === undefined) throw new Error(`${api} ${version} has no Hebrew`)
      t.match([he.title, he.summary].join(' '), hebrew, `${api} ${version}`)
      for (const { id } of operations) t.match(he.operations[id] ?? '', hebrew, id)
      for (const { kind, value } of walkDocument(translatedDocument(document, he))) {
        const { operationId, name, summary, description } = value
        if ('$ref' in value) continue
        if (kind === 'operation') {
          t.match(summary, hebrew, String(operationId))
          if (description !== undefined) t.match(description, hebrew, `${operationId} description`)
        }
        if (kind === 'parameter') t.match(description, hebrew, String(name))
        if (kind === 'tag') t.match(he.tags[String(name)] ?? '', hebrew, String(name))
        if (kind === 'example' && summary !== undefined) t.match(summary, hebrew, String(summary))
        if (['response', 'schema', 'header', 'requestBody'].includes(kind)) {
          if (description !== undefined) t.match(description, hebrew, String(description))
        }
      }
    }
  },
)

t.test('a new version and a new plan are one new file each', async (t) => {
  const folder = join(t.testdir(), 'config')
  cpSync('config', folder, { recursive: true })
  const thin = readFileSync(join(folder, 'apis/xs2a/1.7.0.yaml'), 'utf8')
  writeFileSync(join(folder, 'apis/xs2a/1.8.0.yaml'), thin.replaceAll('1.7.0', '1.8.0'))
  writeFileSync(
    join(folder, 'plans/gold.yaml'),
    `title: Gold Plan
apis: ['xs2a@1.8.0']
limits:
  - { name: hourly, calls: 5000, window: PT1H, scope: operation }
  - { name: daily, calls: 50000, window: P1D, scope: plan }
mode: enforce
onStoreOutage: deny
`,
  )
  const catalogue = await loadCatalogue(folder)
  const version = catalogue.versions.get('xs2a@1.8.0')
  t.match(version, { prefix: '/v1.8.0', plans: ['default', 'gold'] })
  t.equal(version?.operations.length, 20)
  t.strictSame(catalogue.plans.get('gold')?.limits, [
    { name: 'hourly', calls: 5000, windowLength: 3600, isAdvertised: true, scope: 'operation' },
    { name: 'daily', calls: 50_000, windowLength: 86_400, isAdvertised: true, scope: 'plan' },
  ])
  t.match(createRouter(catalogue).match('GET', '/v1.8.0/accounts'), { kind: 'found' })
  if (version !== undefined) t.equal(compileContracts(version).size, 20)
})

t.test(
  'no published answer of success may have a member more or a required one less',
  async (t) => {
    let bodies = 0
    for (const version of (await loadCatalogue('config')).versions.values()) {
      const contracts = answerContracts(version)
      for (const operation of version.operations) {
        for (const { status, contentType, body } of exampleAnswers(version, operation)) {
          const faultsOf = (answer: unknown) =>
            contracts
              .get(operation.id)?.({ status, headers: {}, body: answer, contentType })
              .filter((violation) => violation.in === 'body') ?? []
          const name = `${version.version} ${operation.id} ${status}`
          t.strictSame(faultsOf(body), [], `${name} as in the example`)
          t.match(
            faultsOf({ ...body, unheardOf: 1 }),
            [{ path: 'unheardOf' }],
            `${name} with a member more`,
          )
          t.ok(faultsOf({}).length > 0, `${name} with nothing in it`)
          bodies++
        }
      }
    }
    t.ok(bodies >= 40, `${bodies} answers have examples`)
  },
)

/** The answers with a body that a document gives examples of. */
function exampleAnswers(version: ApiVersion, { template, method }: Operation) {
  const document = version.document.read()
  const responses = operationObject(document, template, method)?.responses ?? []
  return responses
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, response]) =>
      membersOf(document, response, 'content').flatMap(([contentType, mediaType]) => {
        const named = membersOf(document, mediaType, 'examples').map(
          ([, { value }]) => value['value'],
        )
        return [mediaType.value['example'], ...named]
          .filter(isJsonObject)
          .map((body) => ({ status: Number(status), contentType, body }))
      }),
    )
}
