import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '../support/child-environment.ts'
import { tollgate } from '../support/cli.ts'
import type { Test } from '../support/database.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { runTollgate } from '../support/tollgate.ts'

/** What a generated client exports, as far as this test uses it. */
interface GeneratedClient {
  readonly client: {
    readonly auth: {
      bearer(token: string): void
      /** @param scheme its name in the document */
      apiKey(scheme: string, value: string): void
    }
    listPets(): Promise<{ readonly response: Response }>
  }
}

/** A client that Redocly makes of a document, and that knows nothing else. */
async function generated(t: Test, document: string): Promise<GeneratedClient> {
  const folder = mkdtempSync(join(tmpdir(), 'tg-client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'openapi.json'), document)
  const redocly = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'redocly')
  const args = [
    'generate-client',
    'openapi.json',
    '--output',
    'client.ts',
    '--error-mode',
    'result',
  ]
  const env = { ...childEnvironment, REDOCLY_TELEMETRY: 'off' }
  await promisify(execFile)(redocly, args, { cwd: folder, env })
  return import(pathToFileURL(join(folder, 'client.ts')).href)
}

t.test(
  'a client generated of the served document sends the key of the gateway beside the token of the API, and its call is counted',
  async (t) => {
    const backend = await startRawBackend(t)
    const CONFIG_DIR = ownApis(t, {
      'petstore/1.0.0.json': {
        ...ownDocument([], { 'x-tollgate': { backend: backend.url } }),
        paths: {
          '/pets': {
            get: { operationId: 'listPets', responses: { 200: { description: 'the pets' } } },
          },
        },
        security: [{ token: [] }],
        components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      },
    })
    const { urls, commandEnv } = await runTollgate(t, { env: { CONFIG_DIR } })
    const served = await fetch(`${urls.portal}/api/apis/petstore/1.0.0/openapi.json`)
    const { client } = await generated(t, await served.text())
    client.auth.bearer('token-of-the-api')
    t.equal((await client.listPets()).response.status, 401, 'without the key')
    t.same(backend.requests, [])

    const who = ['--email', 'ada@example.com', '--application', 'Petshop']
    const options = [...who, '--api', 'petstore@1.0.0', '--json']
    const { stdout, stderr } = await tollgate({ ...commandEnv, CONFIG_DIR }, 'onboard', ...options)
    t.match(stdout, /"key":"tg_/, stderr)
    client.auth.apiKey('gatewayKey', JSON.parse(stdout).key)
    const { response } = await client.listPets()
    t.equal(response.status, 200)
    t.match(response.headers.get('ratelimit'), /^"hourly";r=99;t=\d+$/)
    const [{ headers } = { headers: new Map() }, ...others] = backend.requests
    t.same(headers.get('authorization'), ['Bearer token-of-the-api'])
    t.notOk(headers.has('x-api-key'))
    t.same(others, [])
  },
)
