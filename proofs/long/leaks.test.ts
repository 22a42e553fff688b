import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { generateKey } from '../../src/registry/keys/key-format.ts'
import { testDataDir } from '../../test/support/database.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import { answerOk, startRawBackend } from '../../test/support/raw-backend.ts'
import { rawRequest, sendRaw } from '../../test/support/raw-client.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../../test/support/tollgate.ts'

const get = 'GET /v1.7.0/accounts HTTP/1.1'
const post = 'POST /v1.7.0/consents HTTP/1.1'

/** Every way to send a key, on purpose or by mistake. `valid` is another key that works. */
function requests(key: string, valid: string): readonly string[] {
  const header = `X-API-Key: ${valid}`
  return [
    rawRequest(get, [`X-API-Key: ${key}`]),
    rawRequest(get, [`X-IBM-Client-Id: ${key}`]),
    rawRequest(get, [`x-api-key: ${key}`, `Connection: X-API-Key`]),
    rawRequest(get, [`X-API-Key: ${key}`, `X-API-Key: ${valid}`]),
    rawRequest(get, [`X-API-Key: ${key}`, `X-IBM-Client-Id: ${key}`]),
    rawRequest(get, [`X-API-Key: ${key.slice(0, -1)}_`]),
    rawRequest(get, [`X-API-Key: Bearer ${key}`]),
    rawRequest(get, [`Authorization: Bearer ${key}`]),
    rawRequest(get, [`Authorization: ApiKey ${key}`]),
    rawRequest(get, [`X_API_Key: ${key}`]),
    rawRequest(get, [`X-API-Key : ${key}`]),
    rawRequest(get, [`X-API-Key: ${key}\0`]),
    rawRequest(get, [`${key}: 1`, 'no colon here']),
    rawRequest(get, [`X-API-Key: ${key}`, `X-Long: ${'a'.repeat(20_000)}`]),
    rawRequest(get, [header, `X-Request-ID: ${key}`, `X-Request-ID: ${key}`]),
    rawRequest(get, [`Cookie: key=${key}`]),
    rawRequest(`GET /v1.7.0/accounts?api_key=${key} HTTP/1.1`),
    rawRequest(`GET /v1.7.0/accounts?x-api-key=${key} HTTP/1.1`, [header]),
    rawRequest(`GET /v1.7.0/accounts?anything=${key} HTTP/1.1`, [header]),
    rawRequest(`GET /v1.7.0/accounts/${key} HTTP/1.1`),
    rawRequest(`GET /${key} HTTP/1.1`),
    rawRequest(`GET /v1.7.0/accounts/%2e/${key} HTTP/1.1`),
    rawRequest(`GET http://${key}/v1.7.0/accounts HTTP/1.1`),
    rawRequest(`${key} /v1.7.0/accounts HTTP/1.1`),
    `GET /v1.7.0/accounts HTTP/1.1\r\nHost: ${key}@bank\r\n\r\n`,
    `${key}\r\n\r\n`,
    rawRequest(post, [`X-API-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: x']),
    rawRequest(post, [
      `X-API-Key: ${key}`,
      'Content-Type: application/json',
      'Content-Length: 2000000',
    ]),
    rawRequest(post, [`Content-Type: ${key}`, header, 'Content-Length: 2'], '{}'),
    rawRequest('GET / HTTP/1.1', ['Upgrade: websocket', `Sec-WebSocket-Protocol: ${key}`]),
  ]
}

/** Everything in a folder, whatever it is. */
function filesBelow(folder: string): readonly { readonly name: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const name = join(entry.parentPath, entry.name)
      return { name, bytes: readFileSync(name) }
    })
}

t.test(
  'no secret of a key is in an answer, a log line, a metric, a file, or a request to the backend',
  { timeout: 400_000 },
  async (t) => {
    const dataDir = await testDataDir(t)
    const backend = await startRawBackend(t)
    const tollgate = await spawnTollgate(t, [], {
      DATA_DIR: dataDir,
      CONFIG_DIR: testConfigDir(t),
      BACKEND_URL: backend.url,
      LOG_LEVEL: 'trace',
    })
    const stores = await registryBeside(t, dataDir)
    const valid = await newApplication(stores, 'valid')
    const revoked = await newApplication(stores, 'revoked')
    const suspended = await newApplication(stores, 'suspended')
    await stores.keys.revoke({ id: revoked.keyId, by: 'test' })
    await stores.applications.suspend({ id: suspended.applicationId, by: 'test' })
    const stranger = generateKey(randomBytes).text
    // The id of a key that exists, with the secret of another one.
    const wrongSecret = `${valid.key.slice(0, 16)}${stranger.slice(16)}`
    const keys = [valid.key, revoked.key, suspended.key, stranger, wrongSecret]
    const answers: string[] = []

    for (const key of keys) {
      for (const bytes of requests(key, valid.key)) {
        answers.push((await sendRaw(tollgate.urls.gateway, bytes)).text)
      }
      for (const url of [tollgate.urls.portal, tollgate.urls.management]) {
        for (const target of [
          `/${key}`,
          `/%zz${key}`,
          `/problems/${key}`,
          `/readyz?verbose=${key}`,
        ]) {
          const bytes = rawRequest(`GET ${target} HTTP/1.1`, [`X-API-Key: ${key}`])
          answers.push((await sendRaw(url, bytes)).text)
        }
      }
    }
    t.ok(backend.requests.length > 0, 'some reached the backend')
    for (const answer of [
      (_: unknown, socket: { destroy(): void }) => socket.destroy(),
      (_: unknown, socket: { end(text: string): void }) => socket.end('garbage'),
    ]) {
      backend.answer = answer
      const bytes = rawRequest(get, [`X-API-Key: ${valid.key}`])
      const { status, text } = await sendRaw(tollgate.urls.gateway, bytes)
      t.equal(status, 502)
      answers.push(text)
    }
    backend.answer = answerOk
    t.ok(
      answers.every((text) => text.startsWith('HTTP/1.1 ')),
      'everything was answered',
    )
    const metrics = await metricsOf(tollgate.urls.management)
    tollgate.signal('SIGTERM')
    t.equal(await tollgate.ended, 0)
    t.ok(tollgate.output.stderr.includes('"msg":"call"'), 'there is a log')

    const received = backend.requests.map((request) => [...request.headers].join('\n'))
    const files = filesBelow(dataDir)
    t.ok(files.some(({ name }) => name.endsWith('counters.journal')))
    t.ok(files.some(({ name }) => name.includes('database')))
    t.match(tollgate.output.stdout, /^tollgate ready /)
    t.notMatch(tollgate.output.stdout, /tg_\w{62}/, 'without a terminal, the start prints no key')
    for (const key of keys) {
      t.equal(key.length, 65)
      const secret = key.slice(16, 16 + 43)
      const found = (texts: readonly string[]) => texts.filter((text) => text.includes(secret))
      t.same(found(answers), [], 'no answer holds it')
      t.same(found([tollgate.output.stderr]), [], 'no log line')
      t.same(found([metrics]), [], 'no metric')
      t.same(
        files.filter(({ bytes }) => bytes.includes(secret)).map(({ name }) => name),
        [],
        'no file',
      )
      t.same(found(received), [], 'no header of a request to the backend')
      t.same(found([tollgate.output.stdout]), [], 'not even standard output')
    }
    t.notOk(received.some((fields) => /^x-(api-key|ibm-client-id)/m.test(fields)))
  },
)
