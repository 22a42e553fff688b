import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createRouter } from '../../src/catalogue/router.ts'
import type { Published } from '../../src/gateway/edge/published.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { startRawBackend } from '../support/raw-backend.ts'

t.test('a replaced configuration is dropped, even while its callers keep calling', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const backend = await startRawBackend(t)
  let current: Published | undefined
  const edge = await startEdge(t, { backendUrl: backend.url, published: () => current })
  const call = () =>
    fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } }).then(
      async (answer) => await answer.text(),
    )
  async function publish(generation: number): Promise<WeakRef<Published>> {
    const catalogue = await publishedCatalogue()
    current = { generation, catalogue, router: createRouter(catalogue) }
    return new WeakRef(current)
  }
  const replaced = await publish(2)
  await call()
  await publish(3)
  for (let count = 0; count < 20 && replaced.deref() !== undefined; count += 1) {
    await call()
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  t.ok(replaced.deref() === undefined)
})
