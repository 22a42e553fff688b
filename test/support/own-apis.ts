import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Catalogue, versionKey } from '../../src/catalogue/catalogue.ts'
import type { Caller } from '../../src/registry/registry.ts'
import type { Test } from './database.ts'
import { callerOf, startEdge, type TestEdgeOptions, testKey } from './edge.ts'
import { rawRequest, sendRaw } from './raw-client.ts'

/** A plan of everything. */
const plan = `title: Default Plan
apis: [PATTERNS]
limits: [{ name: hourly, calls: 100, window: PT1H, scope: operation }]
mode: enforce
onStoreOutage: local-share
`

/**
 * A configuration of APIs that the sandbox bank does not have, with one plan
 * for all of them. Deleted with the test.
 *
 * @param files by path below `apis/`; objects are written as JSON
 */
export function ownApis(t: Test, files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-own-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  }
  for (const [path, content] of Object.entries(files)) write(`apis/${path}`, content)
  const apis = new Set(Object.keys(files).map((path) => `'${path.split('/')[0]}@*'`))
  write('plans/default.yaml', plan.replace('PATTERNS', [...apis].join(', ')))
  return folder
}

/** Adds a document, and a plan of nothing else, to a configuration. */
export function publishBeside(folder: string, path: string, document: object): void {
  const [api = ''] = path.split('/')
  mkdirSync(join(folder, 'apis', api), { recursive: true })
  writeFileSync(join(folder, 'apis', path), JSON.stringify(document))
  writeFileSync(join(folder, 'plans', `${api}.yaml`), plan.replace('PATTERNS', `'${api}@*'`))
}

/** A small OpenAPI document: operations as `GET /things`, whose ids are made by the gateway. */
export function ownDocument(
  operations: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const [, method = '', path = ''] = /^(\S+) (.*)$/.exec(operation) ?? []
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = { responses: { 200: { description: 'done' } } }
  }
  return { openapi: '3.1.1', info: { title: 'Things', version: '1' }, paths, ...more }
}

/** The plans of a caller who has the Default Plan of every version. */
export function plansOfAll({ versions }: Catalogue): Caller['plans'] {
  return new Map(
    [...versions.values()].map(({ api, version }) => [versionKey(api, version), 'default']),
  )
}

/** An edge that publishes a catalogue, and a function that calls it as an application that may call everything. */
export async function startOwnApis(t: Test, catalogue: Catalogue, options: TestEdgeOptions) {
  const edge = await startEdge(t, {
    ...options,
    catalogue: () => catalogue,
    callers: new Map([[testKey, callerOf('app-1', { plans: plansOfAll(catalogue) })]]),
  })
  return {
    edge,
    call: (line: string, fields: readonly string[] = [], body = '') =>
      sendRaw(
        edge.url,
        rawRequest(
          `${line} HTTP/1.1`,
          [`X-API-Key: ${testKey}`, 'Connection: close', ...fields],
          body,
        ),
      ),
  }
}
