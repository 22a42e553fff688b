import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { onboard } from '../../src/portal/stores/accounts/onboard.ts'
import { type Answer, createClient } from '../../test/support/calling.ts'
import { testDataDir } from '../../test/support/database.ts'
import { longDocument } from '../../test/support/long-document.ts'
import { ownApis } from '../../test/support/own-apis.ts'
import { registryBeside, spawnTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'
import { median } from '../bench/statistics.ts'
import { figure } from '../figure.ts'

t.setTimeout(600_000)

const apis = ['a', 'b', 'c', 'd', 'e', 'f']
const operations = 500
/** Each calls, waits and calls again. */
const callers = 4
const pauseMs = 20
const publications = 5
const servedWithinMs = 100

t.test(
  `in a catalogue of ${apis.length * operations} operations, a new one is served within ${servedWithinMs} ms of its reload, and no call fails meanwhile`,
  async (t) => {
    const documents = apis.map((api) => longDocument({ operations, basePath: `/${api}` }))
    const files = documents.map((document, at): [string, object] => [
      `${apis[at]}/1.json`,
      document,
    ])
    const configDir = ownApis(t, Object.fromEntries(files))
    const plan = join(configDir, 'plans', 'default.yaml')
    writeFileSync(plan, readFileSync(plan, 'utf8').replace('calls: 100', 'calls: 1000000'))
    const env = { DATA_DIR: await testDataDir(t), CONFIG_DIR: configDir }
    const tollgate = await spawnTollgate(t, [], { ...env, BACKEND_URL: await startBackend(t) })
    const stores = await registryBeside(t, env.DATA_DIR)
    const { key } = await onboard(stores, {
      email: 'tester@tollgate.example',
      developerName: 'Tester',
      applicationName: 'publish-live',
      subscriptions: apis.map((api) => ({ api, version: '1', plan: 'default' })),
      by: 'test',
    })
    const client = createClient(t, tollgate.urls.gateway, callers + 1)
    await until('the key works', async () => {
      return (await client.call({ key, path: '/a/resources0' })).status === 200
    })

    const answers: Answer[] = []
    let isOver = false
    async function callRepeatedly(caller: number): Promise<void> {
      // Through all APIs.
      for (let turn = caller; !isOver; turn += callers) {
        const path = `/${apis[turn % apis.length]}/resources${turn % (operations / 5)}`
        answers.push(await client.call({ key, path }))
        await delay(pauseMs)
      }
    }
    const calling = Array.from({ length: callers }, (_, caller) => callRepeatedly(caller))

    async function publishAndFind(publication: number): Promise<number> {
      const path = `/added${publication}`
      const [document = {}] = documents
      const { paths = {} } = document as { paths?: object }
      const added = { get: { responses: { 200: { description: 'done' } } } }
      place(configDir, 'a/1.json', { ...document, paths: { ...paths, [path]: added } })
      tollgate.signal('SIGHUP')
      let servedAt = 0
      await until(`${path} is served`, async () => {
        const { status, endedAt } = await client.call({ key, path: `/a${path}` })
        servedAt = endedAt
        return status === 200
      })
      const ready = await fetch(`${tollgate.urls.management}/readyz?verbose`)
      const { configuration } = (await ready.json()) as { configuration: { loadedAt: string } }
      return servedAt - Date.parse(configuration.loadedAt)
    }

    const waits: number[] = []
    for (let publication = 1; publication <= publications; publication += 1) {
      waits.push(await publishAndFind(publication))
    }
    isOver = true
    await Promise.all(calling)

    const failed = answers.filter(({ status }) => status !== 200)
    const times = answers.map(({ begunAt, endedAt }) => endedAt - begunAt)
    figure(
      `a new operation is served ${median(waits)} ms after its reload (${waits.join(', ')}); ${failed.length} of ${answers.length} calls failed, a call took ${median(times)} ms, the longest ${Math.max(...times)} ms`,
    )
    t.same(
      failed.map(({ status, body }) => `${status} ${body}`),
      [],
    )
    t.ok(answers.length > publications * callers, 'there was load')
    t.ok(median(waits) <= servedWithinMs, waits.join(', '))
  },
)

/** Replaces a document as a whole, as a deployment does. */
function place(configDir: string, path: string, document: object): void {
  const file = join(configDir, 'apis', path)
  writeFileSync(`${configDir}.next`, JSON.stringify(document))
  renameSync(`${configDir}.next`, file)
}

/** A backend that has everything. */
async function startBackend(t: Test): Promise<string> {
  const server = createServer((_request, response) => response.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on TCP.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
