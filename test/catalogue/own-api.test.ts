import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ApiVersion, type Operation, versionKey } from '../../src/catalogue/catalogue.ts'
import { operationObject } from '../../src/catalogue/documents/operation-object.ts'
import { inspectCatalogue } from '../../src/catalogue/inspect-catalogue.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import { ownApis, startOwnApis } from '../support/own-apis.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

// Each document in `own-api` has one feature of OpenAPI. Its first lines, up to the first that is no comment, say what
// is expected of it:
//
// - A row for each call, with two spaces or more between columns: `GET /v1/orders/7` (with a body, if one follows),
//   then the status with which the gateway rejects it, or the operation that it reaches, the path that the document
//   has for it, and the target that the backend gets.
// - `Warnings:` and the rules of all warnings, sorted.
// - `Security of <operation>:` and what the published document asks for.
//
// `NN-name.yaml` is version NN of the API `name`; a file with more between name and ending is beside it. `BACKEND`
// stands for the address of the backend.

const folder = 'test/catalogue/own-api'

interface Row {
  /** `GET /v1/orders/7`. */
  readonly line: string
  readonly body: string
  /** A status, or operation, path and target. */
  readonly expected: readonly string[]
}

interface Expectation {
  readonly rows: readonly Row[]
  readonly warnings: readonly string[]
  readonly security: ReadonlyMap<string, unknown>
}

function expectationOf(text: string): Expectation {
  const lines = (/^(?:#.*\n)*/.exec(text)?.[0] ?? '').split('\n')
  const rows = lines.flatMap((line): Row[] => {
    const [, cells = ''] = /^# {3}(\S.*)$/.exec(line) ?? []
    const [call = '', ...expected] = cells.split(/ {2,}/)
    const [method, target, body = ''] = call.split(' ')
    return cells === '' ? [] : [{ line: `${method} ${target}`, body, expected }]
  })
  const [warnings = ''] = lines.flatMap((line) => /^# Warnings: (.+)$/.exec(line)?.[1] ?? [])
  const security = lines.flatMap((line): [string, unknown][] => {
    const [, operation, stated] = /^# Security of (\S+): (.+)$/.exec(line) ?? []
    return operation === undefined ? [] : [[operation, JSON.parse(stated ?? '')]]
  })
  return {
    rows,
    warnings: warnings.split(', ').filter((rule) => rule !== ''),
    security: new Map(security),
  }
}

const texts = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
)

/** Where a file belongs in a configuration, below `apis/`: `orders/7.yaml` for `07-orders.yaml`. */
function pathOf(file: string): string {
  const [, number, api, beside = ''] = /^(\d+)-([a-z0-9-]+)(?:\.([a-z]+))?\.yaml$/.exec(file) ?? []
  const version = Number(number)
  const name = { '': `${version}`, overlay: `${version}.overlay` }[beside] ?? beside
  return `${api}/${name}.yaml`
}

t.test('each numbered document is published as its own first lines say', async (t) => {
  const backend = await startRawBackend(t)
  const files = [...texts].map(([name, text]) => [
    pathOf(name),
    text.replace('BACKEND', backend.url),
  ])
  const config = ownApis(t, Object.fromEntries(files))
  const { catalogue, warnings } = await inspectCatalogue(config)
  const reached: (Operation | undefined)[] = []
  const { call } = await startOwnApis(t, catalogue, {
    backendUrl: backend.url,
    recorder: {
      ended: ({ operation }) => void reached.push(operation),
      rehearsed: () => undefined,
    },
  })

  /** What became of a call, as a row states it. */
  async function outcomeOf({ line, body }: Row, version: ApiVersion): Promise<readonly string[]> {
    const fields = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const [forwarded, ended] = [backend.requests.length, reached.length]
    const { status } = await call(line, body === '' && line.startsWith('GET') ? [] : fields, body)
    if (backend.requests.length === forwarded) return [`${status}`]
    await until('the call is recorded', () => reached.length > ended)
    const operation = version.operations.find((each) => each === reached.at(-1))
    return [operation?.id ?? '', operation?.template ?? '', backend.requests.at(-1)?.target ?? '']
  }

  const served = createServedDocument({
    gatewayUrl: () => 'https://api.example.com',
    now: () => 0,
    hasDrills: () => false,
  })
  for (const [name, text] of texts) {
    const path = pathOf(name)
    const [api = '', file = ''] = path.split('/')
    const version = catalogue.versions.get(versionKey(api, file.replace('.yaml', '')))
    if (version === undefined) continue
    await t.test(name, async (t) => {
      const { rows, security, ...expected } = expectationOf(text)
      t.ok(rows.length > 0, 'the first lines have a table')
      for (const row of rows) {
        const { line, body } = row
        t.same(await outcomeOf(row, version), row.expected, `${line} ${body}`)
      }
      const own = warnings.filter((each) => each.file === join(config, 'apis', path))
      t.same(own.map(({ rule }) => rule).sort(), expected.warnings)
      const called = rows.map((row) => row.expected[0])
      const { operations } = version
      const uncalled = operations.filter(({ id }) => !called.includes(id))
      t.same(uncalled, [], 'every operation is called')
      const document = served(version)
      for (const [id, requirements] of security) {
        const { template = '', method = 'GET' } = operations.find((each) => each.id === id) ?? {}
        const operation = operationObject(document, template, method)?.object.value
        t.same(operation?.['security'] ?? document['security'], requirements, id)
      }
    })
  }
})
